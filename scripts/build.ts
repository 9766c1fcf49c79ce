/** Writes dist, what `npm start` runs. */
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundleGalley } from './bundle-galley.ts'
import { recordCode } from './record-code.ts'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
await rm(dist, { recursive: true, force: true })
recordCode(await bundleGalley('src/main.ts', dist, { sourcemap: true }))
