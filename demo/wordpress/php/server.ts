// The process that is WordPress: PHP in WASM behind an HTTP server on loopback. Its own process, since a PHP request
// keeps its thread busy from beginning to end.
//
// Built from the parts of WordPress Playground instead of its server (`@wp-playground/cli`), which never reads compiled
// PHP from its cache and listens on every interface. Measured: a REST request takes 1.1 s there and 0.15 s here.
import { rmSync } from 'node:fs'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { createNodeFsMountHandler, loadNodeRuntime } from '@php-wasm/node'
import type { PHP, PHPRequest, PHPRequestHandler } from '@php-wasm/universal'
import { Semaphore } from '@php-wasm/util'
import { bootWordPressAndRequestHandler } from '@wp-playground/wordpress'
import { listenOnLoopback } from '../../processes.ts'
import { mountPoints } from '../files.ts'
import type { WordPress } from '../index.ts'

/** What the parent asks for: the only argument of the process, in JSON. */
export interface ServerSettings {
  /** The cached tree. */
  root: string
  /** A folder for the database, the uploads and the must-use plugins; removed when the process ends. */
  state: string
  /** 0 for any free one. */
  port: number
  /** One user is made for each. */
  roles: readonly string[]
}

/** What the process tells its parent, once. */
export type ServerMessage =
  | { type: 'ready'; wordpress: Pick<WordPress, 'url' | 'version' | 'users' | 'muPlugins'> }
  | { type: 'failed'; reason: string }

const documentRoot = '/wordpress'
const phpVersion = '8.3'
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const settings: ServerSettings = JSON.parse(process.argv[2] ?? '')
// PHP is compiled once, quickly: to optimise it takes longer than what a demo or a test asks of it would save.
setFlagsFromString('--liftoff-only')

const tell = (message: ServerMessage) => process.send?.(message)

process.on('exit', () => rmSync(settings.state, { recursive: true, force: true }))
// Ctrl-C reaches every process of a terminal; the parent decides when this one ends, and takes it along when it dies
process.on('SIGINT', () => {})
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))

try {
  tell({ type: 'ready', wordpress: await serve(settings) })
} catch (error) {
  tell({ type: 'failed', reason: messageOf(error) })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function serve({ state, port, roles }: ServerSettings) {
  for (const folder of ['database', 'uploads']) await mkdir(join(state, folder))
  const muPlugins = join(state, 'mu-plugins')
  await cp(here('mu-plugins'), muPlugins, { recursive: true })
  // A connection whose request waits while PHP keeps the thread busy is not idle and must not be closed as idle.
  const server = createServer({ keepAliveTimeout: 0 })
  const url = `http://127.0.0.1:${await listenOnLoopback(server, port)}`
  const handler = await bootPhp(url)
  const installed = await installWordPress(handler, roles)
  const answer = phpListener(handler)
  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`PHP failed: ${messageOf(error)}`)
    })
  })
  return { url, muPlugins, ...installed }
}

/** PHP in WASM with the tree mounted, ready to serve `siteUrl`. WordPress itself is not installed yet. */
async function bootPhp(siteUrl: string): Promise<PHPRequestHandler> {
  return bootWordPressAndRequestHandler({
    createPhpRuntime: () => loadNodeRuntime(phpVersion, { emscriptenOptions: { processId: 1 } }),
    phpVersion,
    // PHP caches compiled code for the server interfaces that it knows, and for no other
    sapiName: 'fpm-fcgi',
    siteUrl,
    documentRoot,
    // WASM runs on one thread here; a second instance would only add a second, cold cache
    maxPhpInstances: 1,
    cookieStore: false,
    wordpressInstallMode: 'do-not-attempt-installing',
    sqliteIntegrationPluginZip: sqliteIntegration(),
    onPHPInstanceCreated: mountSite,
    phpIniEntries: {
      display_errors: '0',
      upload_max_filesize: '32M',
      post_max_size: '40M',
      // compiled PHP is cached in memory, which Playground's own setting (files only) rules out
      'opcache.file_cache_only': '0',
      'opcache.file_cache': '',
      'opcache.memory_consumption': '128',
      'opcache.max_accelerated_files': '10000',
      // the files do not change; checking each of them takes a tenth of a request
      'opcache.validate_timestamps': '0',
    },
  })
}

async function mountSite(php: PHP): Promise<void> {
  const { root, state } = settings
  const mount = (from: string, to: string) => php.mount(to, createNodeFsMountHandler(from))
  await mount(root, documentRoot)
  await mount(here('wp-config.php'), `${documentRoot}/${mountPoints.config}`)
  await mount(join(state, 'mu-plugins'), `${documentRoot}/${mountPoints.plugins}`)
  await mount(join(state, 'database'), `${documentRoot}/${mountPoints.database}`)
  await mount(join(state, 'uploads'), `${documentRoot}/${mountPoints.uploads}`)
}

/** Shipped here, so that nothing has to be downloaded: as in `@wp-playground/cli` 3.1.54 (GPL-2.0-or-later). */
async function sqliteIntegration(): Promise<File> {
  const name = 'sqlite-database-integration.zip'
  return new File([await readFile(here(name))], name)
}

/** Installs WordPress, with one user for each role. */
async function installWordPress(
  handler: PHPRequestHandler,
  roles: readonly string[],
): Promise<Pick<WordPress, 'version' | 'users'>> {
  const php = await handler.getPrimaryPhp()
  const { text } = await php.run({
    code: await readFile(here('install.php'), 'utf8'),
    env: { DOCUMENT_ROOT: documentRoot, ROLES: JSON.stringify(roles) },
  })
  return JSON.parse(text)
}

/**
 * Answers HTTP requests one after another: the handler of a single PHP answers 500 to what comes while a request sleeps
 * or while the PHP is replaced by a fresh one.
 */
function phpListener(handler: PHPRequestHandler) {
  const queue = new Semaphore({ concurrency: 1 })
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const incoming = await phpRequest(request)
    const { httpStatusCode, headers, bytes } = await queue.run(() => handler.request(incoming))
    response.writeHead(httpStatusCode, headers).end(bytes)
  }
}

async function phpRequest(request: IncomingMessage): Promise<PHPRequest> {
  return {
    url: request.url ?? '/',
    method: request.method as PHPRequest['method'],
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: new Uint8Array(await buffer(request)),
  }
}
