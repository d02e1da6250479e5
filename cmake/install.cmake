# cmake --install: headers, library, program, CMake package (find_package(fgnn)) and pkg-config file.
include(CMakePackageConfigHelpers)

set(fgnn_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fgnn)

install(TARGETS fgnn_core EXPORT fgnn_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILE_SET generated DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET fgnn_mpi)
  install(TARGETS fgnn_mpi LIBRARY DESTINATION ${FGNN_MODULE_FOLDER})
endif()
if(TARGET fgnn_rdkit)
  install(TARGETS fgnn_rdkit LIBRARY DESTINATION ${FGNN_MODULE_FOLDER})
endif()
if(FGNN_PROGRAM)
  # A shared library is found beside the program, wherever both are moved.
  file(RELATIVE_PATH to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(fgnn_program PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  install(TARGETS fgnn_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The program and the library look for them in share/fgnn/weights of the prefix they are in.
install(DIRECTORY weights DESTINATION ${CMAKE_INSTALL_DATADIR}/fgnn
        FILES_MATCHING PATTERN "*.safetensors" PATTERN "*.metrics.jsonl")

install(EXPORT fgnn_targets NAMESPACE fgnn:: DESTINATION ${fgnn_cmake_dir})
configure_package_config_file(cmake/fgnn-config.cmake.in ${PROJECT_BINARY_DIR}/fgnn-config.cmake
                              INSTALL_DESTINATION ${fgnn_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fgnn-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fgnn-config.cmake
              ${PROJECT_BINARY_DIR}/fgnn-config-version.cmake
        DESTINATION ${fgnn_cmake_dir})

# A prefix relative to the file itself keeps the installed tree movable.
file(RELATIVE_PATH FGNN_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
get_target_property(library_type fgnn_core TYPE)
if(library_type STREQUAL STATIC_LIBRARY)
  # Nobody else brings in what an archive needs, so plain `pkg-config --libs` must name it.
  set(FGNN_PC_REQUIRES "Requires: fmt libhwy zlib")
  set(FGNN_PC_LIBS "-pthread -ldl")
else()
  set(FGNN_PC_REQUIRES "Requires.private: fmt libhwy zlib")
  set(FGNN_PC_LIBS "")
endif()
configure_file(cmake/fgnn.pc.in ${PROJECT_BINARY_DIR}/fgnn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fgnn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
