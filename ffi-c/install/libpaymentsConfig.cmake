# find_package(libpayments) gives libpayments::libpayments, the shared library,
# and libpayments::static, where there is one.
get_filename_component(_libpayments_lib "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
get_filename_component(_libpayments_include "${_libpayments_lib}/@INCLUDE@" REALPATH)
if(NOT TARGET libpayments::libpayments)
    add_library(libpayments::libpayments SHARED IMPORTED)
    set_target_properties(libpayments::libpayments PROPERTIES
        IMPORTED_LOCATION "${_libpayments_lib}/@LINKED@"
        INTERFACE_INCLUDE_DIRECTORIES "${_libpayments_include}")
    if(EXISTS "${_libpayments_lib}/libpayments.dll.a")
        set_target_properties(libpayments::libpayments PROPERTIES
            IMPORTED_IMPLIB "${_libpayments_lib}/libpayments.dll.a")
    elseif(NOT APPLE)
        set_target_properties(libpayments::libpayments PROPERTIES
            IMPORTED_SONAME "@SONAME@")
    endif()
    if(EXISTS "${_libpayments_lib}/libpayments.a")
        string(REPLACE " -" ";-" _libpayments_private "@PRIVATE@")
        add_library(libpayments::static STATIC IMPORTED)
        set_target_properties(libpayments::static PROPERTIES
            IMPORTED_LOCATION "${_libpayments_lib}/libpayments.a"
            INTERFACE_INCLUDE_DIRECTORIES "${_libpayments_include}"
            INTERFACE_LINK_LIBRARIES "${_libpayments_private}")
    endif()
endif()
