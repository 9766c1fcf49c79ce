// What the demo uses of packages whose own declarations TypeScript does not find. Those of php-wasm import folders
// (`export * from './lib'`), which Node's resolution does not allow; fflate's `exports` do not name theirs.
declare module 'fflate' {
  export function unzipSync(
    archive: Uint8Array,
    options: { filter: (entry: { name: string }) => boolean },
  ): Record<string, Uint8Array>
  export function zipSync(files: Record<string, Uint8Array>): Uint8Array
}

declare module '@php-wasm/universal' {
  export interface PHPRequest {
    method: 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'PUT' | 'DELETE'
    /** Path and query. */
    url: string
    headers: Record<string, string>
    body: Uint8Array
  }
  export interface PHPResponse {
    httpStatusCode: number
    headers: Record<string, string[]>
    bytes: Uint8Array
    text: string
  }
  export type MountHandler = (php: PHP, FS: unknown, mountPoint: string) => () => void
  export interface PHP {
    mount(virtualPath: string, handler: MountHandler): Promise<() => Promise<void>>
    run(options: { code: string; env?: Record<string, string> }): Promise<PHPResponse>
  }
  export interface PHPRequestHandler {
    getPrimaryPhp(): Promise<PHP>
    request(request: PHPRequest): Promise<PHPResponse>
  }
}

declare module '@php-wasm/util' {
  export class Semaphore {
    constructor(options: { concurrency: number })
    run<T>(task: () => Promise<T>): Promise<T>
  }
}

declare module '@php-wasm/node' {
  import type { MountHandler } from '@php-wasm/universal'

  export function loadNodeRuntime(
    phpVersion: string,
    options: { emscriptenOptions: { processId: number } },
  ): Promise<number>
  export function createNodeFsMountHandler(hostPath: string): MountHandler
}

declare module '@wp-playground/wordpress' {
  import type { PHP, PHPRequestHandler } from '@php-wasm/universal'

  export function bootWordPressAndRequestHandler(options: {
    createPhpRuntime: () => Promise<number>
    phpVersion: string
    sapiName: string
    siteUrl: string
    documentRoot: string
    maxPhpInstances: number
    cookieStore: false
    wordpressInstallMode: 'do-not-attempt-installing'
    sqliteIntegrationPluginZip: Promise<File>
    onPHPInstanceCreated: (php: PHP) => Promise<void>
    phpIniEntries: Record<string, string>
  }): Promise<PHPRequestHandler>
}
