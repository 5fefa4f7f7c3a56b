#!/usr/bin/env bash
# Builds llama.cpp's own server and benchmark from the source that llama-cpp-python's source distribution carries: the
# same commit on both sides of a comparison.      bench/peer.sh [FOLDER]      default: build/peer
set -euo pipefail
folder=${1:-build/peer}
python=${PYTHON:-.venv/bin/python}
version=$("$python" -c 'import importlib.metadata as m; print(m.version("llama-cpp-python"))')
mkdir -p "$folder"
cd "$folder"
python=$(cd - >/dev/null; realpath --no-symlinks "$python")

if [ ! -d "llama_cpp_python-$version" ]; then
    "$python" -m pip download --quiet --no-deps --no-binary llama-cpp-python "llama-cpp-python==$version"
    tar -xf "llama_cpp_python-$version.tar.gz"
fi
"$python" -m pip install --quiet cmake ninja
bin=$(dirname "$python")
"$bin/cmake" -S "llama_cpp_python-$version/vendor/llama.cpp" -B build -G Ninja -DCMAKE_MAKE_PROGRAM="$bin/ninja" \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF
"$bin/cmake" --build build --target llama-server llama-bench
echo "$PWD/build/bin"
