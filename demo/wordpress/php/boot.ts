import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createNodeFsMountHandler, loadNodeRuntime } from '@php-wasm/node'
import type { PHP, PHPRequestHandler } from '@php-wasm/universal'
import { bootWordPressAndRequestHandler } from '@wp-playground/wordpress'
import { mountPoints } from '../mount-points.ts'
import type { ServerSettings } from './messages.ts'

export const documentRoot = '/wordpress'
const phpVersion = '8.3'

const here = dirname(fileURLToPath(import.meta.url))

/**
 * PHP in WASM with the tree mounted, ready to serve `siteUrl`; WordPress itself is not yet installed.
 *
 * Built from the parts of WordPress Playground instead of its server (`@wp-playground/cli`), whose compiled PHP never
 * comes out of the cache again and which listens on every interface: measured, a REST request takes 1.1 s there and
 * 0.15 s here.
 */
export async function bootPhp({ root, state }: ServerSettings, siteUrl: string): Promise<PHPRequestHandler> {
  return bootWordPressAndRequestHandler({
    createPhpRuntime: () => loadNodeRuntime(phpVersion, { emscriptenOptions: { processId: 1 } }),
    phpVersion,
    // PHP keeps compiled code for the server interfaces that it knows, and for no other
    sapiName: 'fpm-fcgi',
    siteUrl,
    documentRoot,
    // WASM runs on one thread here; a second instance would only add a second, cold cache
    maxPhpInstances: 1,
    cookieStore: false,
    wordpressInstallMode: 'do-not-attempt-installing',
    sqliteIntegrationPluginZip: sqliteIntegration(),
    onPHPInstanceCreated: (php) => mountSite(php, root, state),
    phpIniEntries: {
      display_errors: '0',
      upload_max_filesize: '32M',
      post_max_size: '40M',
      // compiled PHP is kept in memory, which Playground's own setting (files only) rules out
      'opcache.file_cache_only': '0',
      'opcache.file_cache': '',
      'opcache.memory_consumption': '128',
      'opcache.max_accelerated_files': '10000',
      // nobody edits the files meanwhile, and to ask of each whether somebody did takes a tenth of a request
      'opcache.validate_timestamps': '0',
    },
  })
}

async function mountSite(php: PHP, root: string, state: string): Promise<void> {
  const mount = (from: string, to: string) => php.mount(to, createNodeFsMountHandler(from))
  await mount(root, documentRoot)
  await mount(join(here, 'wp-config.php'), `${documentRoot}/${mountPoints.config}`)
  await mount(join(state, 'mu-plugins'), `${documentRoot}/${mountPoints.plugins}`)
  await mount(join(state, 'database'), `${documentRoot}/${mountPoints.database}`)
  await mount(join(state, 'uploads'), `${documentRoot}/${mountPoints.uploads}`)
}

/** Kept here, so that nothing has to be downloaded: as `@wp-playground/cli` 3.1.54 ships it (GPL-2.0-or-later). */
async function sqliteIntegration(): Promise<File> {
  const name = 'sqlite-database-integration.zip'
  return new File([await readFile(join(here, name))], name)
}
