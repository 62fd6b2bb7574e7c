# Builds without a network: Debian's crates replace crates.io, and Debian's compiler is named,
# since a rustup toolchain in PATH may refuse these crates. Nothing is written beside the source.
set -e
cp Cargo.toml *.rs "$OUT"
cd "$OUT"
export CARGO_HOME="$OUT/home" RUSTC=/usr/bin/rustc
TOKIO=$(dpkg-query -W -f '${source:Upstream-Version}' librust-tokio-dev)
export TOKIO
/usr/bin/cargo build --release --offline --target-dir "$OUT/target" \
  --config 'source.crates-io.replace-with="debian"' \
  --config 'source.debian.directory="/usr/share/cargo/registry"'
