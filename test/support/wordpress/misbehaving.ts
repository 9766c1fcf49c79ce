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

/** @param how as test/wordpress/galley-test.php names it, or several with commas */
export async function misbehavingSite(how: string): Promise<MisbehavingSite> {
  const { muPlugins, url } = wordpress()
  const plugin = join(muPlugins, `galley-test-${randomUUID()}.php`)
  mkdirSync(muPlugins, { recursive: true })
  copyFileSync(new URL('../../wordpress/galley-test.php', import.meta.url), plugin)
  const proxy = await startFaultProxy(url, { rewriteUrls: true })
  proxy.rule({}, withHeaders({ 'x-galley-test': how }))
  return {
    url: proxy.url,
    async close() {
      rmSync(plugin, { force: true })
      await proxy.close()
    },
  }
}
