import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { Pool } from 'pg'

/** Prisma's schema engine filters nothing of ours. */
export const noFilters = { externalTables: [], externalEnums: [] }

export interface EngineOptions {
  /** Where the engine works. Of one connection, so that what it does can be one transaction. */
  main: Pool
  /** Told what a migration script failed with; the engine's own error may speak of what failed after it. */
  onScriptError?: (error: unknown) => void
}

/** The part of WebAssembly that is used here; the types of Node 20 leave it out. */
interface WebAssembly {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>
}

let loaded: Promise<void> | undefined

/** Prisma's own schema engine, the WebAssembly that the package `prisma` uses too: no binary to download. */
export async function openSchemaEngine(options: EngineOptions): Promise<engineModule.SchemaEngine> {
  loaded ??= load()
  await loaded
  const factory = bindMigrationAwareSqlAdapterFactory(adapterFactory(options))
  return engineModule.SchemaEngine.new({ datamodels: undefined }, () => undefined, factory)
}

/** What the package's own `schema_engine.js` does, which needs a bundler to import the `.wasm`. */
async function load(): Promise<void> {
  const glue = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const wasm = await readFile(glue.replace(/\.js$/, '.wasm'))
  const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssembly }
  const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': { ...engineModule } })
  engineModule.__wbg_set_wasm(instance.exports)
  const start = instance.exports.__wbindgen_start
  if (typeof start !== 'function') throw new Error('The schema engine has no start function')
  start()
}

function adapterFactory({ main, onScriptError }: EngineOptions): SqlMigrationAwareDriverAdapterFactory {
  const connect = async (): Promise<SqlDriverAdapter> => {
    const adapter = await new PrismaPg(main).connect()
    // The adapter's own executeScript cuts at every semicolon, those of comments, strings and functions too.
    adapter.executeScript = async (script) => {
      try {
        await main.query(script)
      } catch (error) {
        onScriptError?.(error)
        throw error
      }
    }
    return adapter
  }
  return {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect,
    // Where migrations are replayed to see what they make; nothing here asks for that.
    connectToShadowDb: () => {
      throw new Error('There is no shadow database')
    },
  }
}
