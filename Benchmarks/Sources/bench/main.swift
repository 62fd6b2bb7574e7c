@_spi(Benchmarks) import CurfewBenchCommand

await runBench()
