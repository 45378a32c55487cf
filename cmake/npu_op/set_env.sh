# Source this in a shell: build files and programs for the toolkit find this installation of bascule.
if [ -n "${BASH_SOURCE:-}" ]; then
  _bascule_here="${BASH_SOURCE}"
elif [ -n "${ZSH_VERSION:-}" ]; then
  eval '_bascule_here="${(%):-%x}"' # other shells could not read it
else
  _bascule_here="$0"
fi
ASCEND_HOME_PATH=$(CDPATH='' cd -- "$(dirname -- "$_bascule_here")" && pwd)
unset _bascule_here
export ASCEND_HOME_PATH
export ASCEND_TOOLKIT_HOME="$ASCEND_HOME_PATH"
export ASCEND_OPP_PATH="$ASCEND_HOME_PATH/opp"
export CMAKE_PREFIX_PATH="$ASCEND_HOME_PATH${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
export PATH="$ASCEND_HOME_PATH/bin:$PATH"
