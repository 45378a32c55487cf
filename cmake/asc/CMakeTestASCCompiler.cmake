# CMakeDetermineASCCompiler.cmake has run the driver and its compiler.
set(CMAKE_ASC_COMPILER_WORKS 1)
