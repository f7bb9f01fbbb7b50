# The flags of our own targets. Third-party code keeps its own.
add_library(shaderqa_flags INTERFACE)
target_compile_options(shaderqa_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Werror)
target_include_directories(shaderqa_flags INTERFACE ${CMAKE_SOURCE_DIR})

if(SHADERQA_SANITIZE)
  add_compile_options(-fsanitize=${SHADERQA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SHADERQA_SANITIZE})
endif()
