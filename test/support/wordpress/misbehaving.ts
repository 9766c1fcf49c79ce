import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startFaultProxy, withHeaders } from '../proxy/index.ts'
import { wordpress } from './index.ts'

/** The WordPress of this run at an address of its own, where it behaves as some plugin makes it. */
export interface MisbehavingSite {
  url: string
  close(): Promise<void>
}

const PLUGINS = ['galley-test', 'galley-test-siblings']

/** @param how as test/wordpress/galley-test.php or galley-test-siblings.php names it, or several with commas */
export async function misbehavingSite(how: string): Promise<MisbehavingSite> {
  const { muPlugins, url } = wordpress()
  mkdirSync(muPlugins, { recursive: true })
  const plugins = PLUGINS.map((name) => {
    const plugin = join(muPlugins, `${name}-${randomUUID()}.php`)
    copyFileSync(new URL(`../../wordpress/${name}.php`, import.meta.url), plugin)
    return plugin
  })
  const proxy = await startFaultProxy(url, { rewriteUrls: true })
  proxy.rule({}, withHeaders({ 'x-galley-test': how }))
  return {
    url: proxy.url,
    async close() {
      for (const plugin of plugins) rmSync(plugin, { force: true })
      await proxy.close()
    },
  }
}
