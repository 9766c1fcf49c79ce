import { availableParallelism, totalmem } from 'node:os'

/** The machine in a line, without its name: `2 cores, 24 GB, Linux x64, Node 20.20.2`. */
export function machine(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  const system = process.platform[0]?.toUpperCase() + process.platform.slice(1)
  return `${availableParallelism()} cores, ${gigabytes} GB, ${system} ${process.arch}, Node ${process.versions.node}`
}
