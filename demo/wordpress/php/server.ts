// The process that is WordPress: PHP in WASM behind an HTTP server on loopback. Its own process, since a PHP
// request keeps its thread busy from beginning to end.
import { rmSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listenOnLoopback } from '../../loopback.ts'
import { bootPhp } from './boot.ts'
import { phpListener } from './exchange.ts'
import { installWordPress } from './install.ts'
import type { ServerMessage, ServerSettings } from './messages.ts'

const settings: ServerSettings = JSON.parse(process.argv[2] ?? '')
const tell = (message: ServerMessage) => process.send?.(message)

process.on('exit', () => rmSync(settings.state, { recursive: true, force: true }))
// Ctrl-C reaches every process of a terminal; the parent decides when this one ends, and takes it along when it dies
process.on('SIGINT', () => {})
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))

try {
  tell({ type: 'ready', wordpress: await serve() })
} catch (error) {
  tell({ type: 'failed', reason: messageOf(error) })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function serve() {
  for (const folder of ['database', 'uploads']) await mkdir(join(settings.state, folder))
  const muPlugins = join(settings.state, 'mu-plugins')
  await cp(fileURLToPath(new URL('mu-plugins', import.meta.url)), muPlugins, { recursive: true })
  // A connection that is not idle, but whose request waits while PHP keeps the thread busy, must not be closed as idle.
  const server = createServer({ keepAliveTimeout: 0 })
  const url = `http://127.0.0.1:${await listenOnLoopback(server, settings.port)}`
  const handler = await bootPhp(settings, url)
  const installed = await installWordPress(handler)
  const answer = phpListener(handler)
  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`PHP failed: ${messageOf(error)}`)
    })
  })
  return { url, muPlugins, ...installed }
}
