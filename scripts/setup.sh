# Shared by ./run, ./test and the scripts beside this file: Debian packages, configure, build.
# Source it with `root` set to the top of the repository. Needs bash.

build_packages=(g++ cmake ninja-build libfmt-dev libhwy-dev libeigen3-dev libcli11-dev
                nlohmann-json3-dev zlib1g-dev liblzma-dev libjpeg-dev libpng-dev gnuplot-nox)
python_packages=(pybind11-dev python3-dev python3-numpy)
test_packages=("${build_packages[@]}" "${python_packages[@]}" python3-pytest ccache libgtest-dev libgmock-dev librapidcheck-dev pkg-config
               toulbar2 clang libclang-rt-14-dev openmpi-bin libopenmpi-dev)

say() { printf 'fgnn: %s\n' "$*" >&2; }

# A shell builtin that waits, so that killing the waiter leaves no process behind.
pause() { read -rt "$1" _ <> <(:) || true; }

# quietly NOTE COMMAND...: shows the command's output only when it fails, and the note when it
# takes longer than a moment.
quietly() {
  local note=$1 log status=0
  shift
  log=$(mktemp)
  { pause 1; say "$note"; } &
  local waiter=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill "$waiter" 2>/dev/null || true
  wait "$waiter" 2>/dev/null || true
  if ((status)); then
    cat "$log" >&2
    say "failed: $*"
  fi
  rm -f "$log"
  return "$status"
}

missing_packages() {
  local -A have=()
  local status package
  while read -r status package; do
    if [[ $status == ii* ]]; then have[$package]=1; fi
  done < <(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null)
  for package in "$@"; do
    if [[ -z ${have[$package]:-} ]]; then printf '%s\n' "$package"; fi
  done
}

# Installs those of the named packages that are missing. On a system without apt it does nothing:
# CMake will name whatever it cannot find.
install_packages() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    as_root=(sudo -n)
    if ! sudo -n true 2>/dev/null; then
      say "packages are missing; as root, run: apt-get install ${missing[*]}"
      return 1
    fi
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y)
  quietly 'reading package lists …' "${apt[@]}" update || say 'going on with the old package lists'
  quietly "installing ${missing[*]} …" "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

# configure PRESET [CMAKE-ARGUMENTS...]: a build directory copied from elsewhere starts afresh. A new
# one compiles several sources at a time; who configures by hand gets one by one (FGNN_JOIN).
configure() {
  local preset=$1 directory=$root/build fresh=() join=()
  shift
  [[ $preset == release ]] || directory=$root/build-$preset
  if [[ -f $directory/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$directory/CMakeCache.txt"; then
    fresh=(--fresh)
  fi
  if ((${#fresh[@]})) || [[ ! -f $directory/CMakeCache.txt ]]; then join=(-DFGNN_JOIN=ON); fi
  quietly 'configuring …' cmake -S "$root" --preset "$preset" "${fresh[@]}" "${join[@]}" "$@"
}

# Holds other runs of these scripts off the build directory until this process ends or `unlock`.
lock() {
  mkdir -p "$root/build"
  exec {lock_file}>"$root/build/.lock"
  flock "$lock_file"
}
unlock() { exec {lock_file}>&-; }

configured() {
  [[ -f $root/build/build.ninja ]] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$root/build/CMakeCache.txt"
}

# build CMAKE-OPTION [BUILD-ARGUMENTS...]: configures where needed, then builds the release.
build() {
  local option=$1 status=0
  shift
  lock
  { needs_no "$option" || configure release "-D$option"; } &&
    quietly 'building …' cmake --build "$root/build" "$@" || status=$?
  unlock
  return "$status"
}

# Tests are left as they are when only the program is wanted, so that ./run and ./test can share a
# build directory.
needs_no() {
  configured && { [[ $1 == FGNN_TESTS=OFF ]] ||
    grep -qxF "${1/=/:BOOL=}" "$root/build/CMakeCache.txt"; }
}

build_program() { build FGNN_TESTS=OFF --target fgnn_program; }
# A build folder that was configured before Python's headers came looks for them again.
build_package() {
  if configured && [[ ! -d $root/build/python/CMakeFiles/fgnn_python.dir ]]; then
    configure release -DFGNN_PYTHON=ON
  fi
  build FGNN_TESTS=OFF --target fgnn_package
}
# The interpreter that the package was built for.
python_of_build() { sed -n 's/^FGNN_PYTHON_PROGRAM:INTERNAL=//p' "$root/build/CMakeCache.txt"; }
build_everything() { build FGNN_TESTS=ON; }
