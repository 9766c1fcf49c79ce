import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createProviders } from '../../../src/generation/providers/registry.ts'
import { readProviderSettings } from '../../../src/generation/providers/settings/read.ts'
import type { SearchProvider } from '../../../src/generation/providers/types.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { KEY } from './stage.ts'

/** The search provider of a file of providers that names one of this kind at this address, `my-<kind>`. */
export function searchAt(kind: string, url: URL): SearchProvider {
  const folder = mkdtempSync(join(tmpdir(), 'galley-search-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'providers.json')
  const name = `my-${kind}`
  const key = kind === 'searxng' ? {} : { key: KEY }
  const described = { name, kind, url: url.href, ...key }
  writeFileSync(file, JSON.stringify({ providers: [described], steps: { search: [name] } }))
  const { settings, mistakes } = readProviderSettings({ GALLEY_PROVIDERS: file }, {})
  expect(mistakes).toEqual([])
  const outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/0.0.0' })
  onTestFinished(() => outbound.close())
  const [made] = createProviders(settings, outbound).search()
  if (made === undefined) throw new Error(`no ${kind}`)
  return made
}
