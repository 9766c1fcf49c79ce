import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { test as base } from 'vitest'
import { discardDataDir, newDataDir, stopLeftServer } from './data-folder.ts'
import { bundleEmbeddedProcess, type EmbeddedProcess, startEmbeddedProcess } from './processes.ts'

/** Below the project, so that the bundle finds the PostgreSQL that npm installed. */
const cache = fileURLToPath(new URL('../../../.cache/embedded-test/', import.meta.url))

interface PerFile {
  /** The bundled process. */
  script: string
  /** A data folder for the tests of a file, one after the other; without a cluster until the first makes it. */
  dataDir: string
}

interface PerTest {
  /** A data folder of the test's own, without a cluster. */
  emptyDir: string
  /** Starts a process on `dataDir`, or on another folder. When the test ends it is killed and its server stopped. */
  start: (dataDir?: string) => EmbeddedProcess
}

/** Vitest's `test`, with processes that hold an embedded database, and data folders, tidied up after them. */
export const test = base.extend<{ $file: PerFile; $test: PerTest }>({
  script: [
    // biome-ignore lint/correctness/noEmptyPattern: how vitest wants a fixture without needs
    async ({}, use) => {
      const script = join(cache, `${process.pid}-${Date.now()}.mjs`)
      await bundleEmbeddedProcess(script)
      await use(script)
      await rm(script)
    },
    { scope: 'file' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: how vitest wants a fixture without needs
  dataDir: [async ({}, use) => useDataDir(use), { scope: 'file' }],
  // biome-ignore lint/correctness/noEmptyPattern: how vitest wants a fixture without needs
  emptyDir: async ({}, use) => useDataDir(use),
  start: async ({ script, dataDir }, use) => {
    const started: EmbeddedProcess[] = []
    await use((otherDir = dataDir) => {
      const process = startEmbeddedProcess(script, otherDir)
      started.push(process)
      return process
    })
    await Promise.all(started.map(end))
    await stopLeftServer(dataDir)
  },
})

async function useDataDir(use: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = newDataDir()
  await use(dataDir)
  await discardDataDir(dataDir)
}

/** Kills a process, whatever state it is in. */
export async function end(started: EmbeddedProcess): Promise<void> {
  try {
    started.signal('SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
  await started.exited
}

/** Runs one statement on a connection of its own. */
export async function query(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
