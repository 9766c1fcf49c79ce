import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../src/config/config.ts'
import { GalleyError } from '../../../src/errors.ts'
import { createProviders } from '../../../src/generation/providers/registry.ts'
import { providersFileSchemas } from '../../../src/generation/providers/settings/schema.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'

/** The settings with this file of providers. */
function settings(file: unknown, variables: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'galley-providers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'providers.json')
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
  return { GALLEY_PROVIDERS: path, ...variables }
}

function mistakes(variables: Record<string, string>): Record<string, string> {
  try {
    loadConfig(variables)
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const details = error.details as { path: string; message: string }[]
    expect(new Set(details.map(({ path }) => path)).size).toBe(details.length)
    return Object.fromEntries(details.map(({ path, message }) => [path, message]))
  }
  return {}
}

const ai = { GALLEY_AI_URL: 'http://127.0.0.1:11434/v1/', GALLEY_AI_MODEL: 'llama' }

test('three settings suffice for text and research in every tier', () => {
  const { providers } = loadConfig({ ...ai, GALLEY_AI_KEY: 'k' })
  const asked = [{ provider: 'ai', model: 'llama' }]
  expect(providers.steps).toMatchObject({
    text: { basic: asked, standard: asked, advanced: asked },
    research: { basic: asked, standard: asked, advanced: asked },
    search: { standard: [] },
    image: { standard: [{ provider: 'cards', model: '' }] },
    audio: { standard: [{ provider: 'espeak', model: '' }] },
  })
  const [own] = providers.providers
  expect(own).toMatchObject({ name: 'ai', kind: 'openai', url: 'http://127.0.0.1:11434/v1' })
  expect(own?.key?.()).toBe('k')
})

test('without settings nobody writes, and what needs nobody is there', () => {
  const { steps } = loadConfig({}).providers
  expect([steps.text.standard, steps.research.standard, steps.search.standard]).toEqual([[], [], []])
  expect(steps.image.basic).toEqual([{ provider: 'cards', model: '' }])
})

test.each([
  [{ GALLEY_AI_URL: 'http://localhost:1/v1' }, 'GALLEY_AI_MODEL', 'is required with GALLEY_AI_URL'],
  [{ GALLEY_AI_MODEL: 'x' }, 'GALLEY_AI_URL', 'is required with GALLEY_AI_MODEL'],
  [{ GALLEY_AI_KEY: 'x' }, 'GALLEY_AI_URL', 'is required with GALLEY_AI_KEY'],
  [{ ...ai, GALLEY_AI_URL: 'https://me:hunter2@host/v1' }, 'GALLEY_AI_URL', 'must have no user name'],
  [{ ...ai, GALLEY_AI_URL: 'https://host/v1?key=hunter2' }, 'GALLEY_AI_URL', 'must have no user name'],
  [{ ...ai, GALLEY_AI_URL: 'ftp://host/v1' }, 'GALLEY_AI_URL', 'must be a full address'],
  [{ ...ai, GALLEY_AI_KEY: 'hunter2\nhunter2' }, 'GALLEY_AI_KEY', 'must be a key'],
])('of %o it is said what is missing or wrong', (variables, path, message) => {
  const told = mistakes(variables)
  expect(Object.keys(told)).toEqual([path])
  expect(told[path]).toContain(message)
  expect(told[path]).not.toContain('hunter2')
})

test('a file names several, in order, by tier, each with its key from where it is kept', () => {
  const file = {
    providers: [
      {
        name: 'big',
        kind: 'openai',
        url: 'https://api.example.com/v1',
        key_from: 'BIG_KEY',
        concurrency: 3,
        timeout_seconds: 60,
        models: { 'large/2': { prices: { input: 1.5, output: 6 } } },
      },
      { name: 'web', kind: 'searxng', url: 'http://127.0.0.1:8888' },
      { name: 'voice', kind: 'gemini', key: 'in-the-file' },
      { name: 'list', kind: 'pages', pages: ['https://example.com/a?b=c#d'] },
    ],
    steps: {
      text: { basic: ['ai'], standard: ['big', 'ai'] },
      search: ['list', 'web'],
      audio: ['voice/tts', 'espeak'],
      image: [],
    },
  }
  const { steps, providers } = loadConfig(settings(file, { ...ai, BIG_KEY: 'k-big' })).providers
  const [large, own] = [
    { provider: 'big', model: 'large/2' },
    { provider: 'ai', model: 'llama' },
  ]
  expect(steps.text).toEqual({ basic: [own], standard: [large, own], advanced: [large, own] })
  expect(steps.research).toEqual(steps.text)
  expect(steps.search.standard.map(({ provider }) => provider)).toEqual(['list', 'web'])
  expect(steps.audio.basic).toEqual([
    { provider: 'voice', model: 'tts' },
    { provider: 'espeak', model: '' },
  ])
  expect(steps.image.standard).toEqual([])
  const big = providers.find(({ name }) => name === 'big')
  expect(big).toMatchObject({ concurrency: 3, timeoutMs: 60_000, settings: { key: 'BIG_KEY' } })
  expect(big?.key?.()).toBe('k-big')
  expect(providers.find(({ name }) => name === 'voice')?.url).toContain('https://')
})

test('every mistake of a file is named at once by its place, beside those of the environment', () => {
  const file = {
    provders: [],
    providers: [
      { name: 'a b', kind: 'openai', url: 'https://u:hunter2@api.example.com', key_from: 'NOWHERE' },
      { name: 'x', kind: 'openia', url: 'https://api.example.com' },
      { name: 'search', kind: 'tavily' },
      { name: 'search', kind: 'brave', key: 'hunter2', key_from: 'NOWHERE' },
      { name: 'cards', kind: 'searxng', url: 'http://localhost:1', key: 'hunter2' },
    ],
    steps: { text: ['search', 'nobody', 'ai/llama'], image: { basic: ['cards'] }, search: { standard: [] } },
  }
  const told = mistakes(settings(file, { ...ai, PORT: 'x' }))
  expect(Object.keys(told).sort()).toEqual([
    'GALLEY_PROVIDERS',
    'GALLEY_PROVIDERS providers.0.key_from',
    'GALLEY_PROVIDERS providers.0.name',
    'GALLEY_PROVIDERS providers.0.url',
    'GALLEY_PROVIDERS providers.1.kind',
    'GALLEY_PROVIDERS providers.2.key',
    'GALLEY_PROVIDERS providers.3.key_from',
    'GALLEY_PROVIDERS providers.3.name',
    'GALLEY_PROVIDERS providers.4',
    'GALLEY_PROVIDERS providers.4.name',
    'GALLEY_PROVIDERS steps.image',
    'GALLEY_PROVIDERS steps.search',
    'GALLEY_PROVIDERS steps.text.0',
    'GALLEY_PROVIDERS steps.text.1',
    'PORT',
  ])
  expect(told.GALLEY_PROVIDERS).toContain('did you mean "providers"?')
  expect(JSON.stringify(told)).not.toContain('hunter2')
})

test('what a step cannot be given is named, and what there is', () => {
  const file = {
    providers: [
      { name: 'web', kind: 'tavily', key: 'k' },
      { name: 'two', kind: 'openai', url: 'http://localhost:1', models: { a: {}, b: {} } },
      { name: 'keyless', kind: 'brave' },
      { name: 'unset', kind: 'brave', key_from: 'NOWHERE' },
      { name: 'ours', kind: 'brave', key_from: 'GALLEY_BRAVE_KEY' },
    ],
    steps: { text: { standard: ['two', 'nobody'] }, search: ['web/x', 'cards'] },
  }
  expect(mistakes(settings(file))).toEqual({
    'GALLEY_PROVIDERS providers.2.key': expect.stringContaining('is missing'),
    'GALLEY_PROVIDERS providers.3.key_from': 'names an environment variable that is not set',
    'GALLEY_PROVIDERS providers.4.key_from': expect.stringContaining('not one that begins with GALLEY_'),
    'GALLEY_PROVIDERS steps.text.standard.0': expect.stringContaining('names no model: write two/'),
    'GALLEY_PROVIDERS steps.text.standard.1': expect.stringContaining('there are espeak, cards, web, two'),
    'GALLEY_PROVIDERS steps.search.0': expect.stringContaining('write web'),
    'GALLEY_PROVIDERS steps.search.1': expect.stringContaining('can be used for image'),
  })
})

test('a file that cannot be read, or is no JSON, is a mistake that shows nothing of it', () => {
  expect(mistakes({ GALLEY_PROVIDERS: '/nowhere/at/all.json' })).toEqual({
    GALLEY_PROVIDERS: 'names a file that cannot be read (ENOENT)',
  })
  const told = mistakes(settings('{"key": hunter2}'))
  expect(told.GALLEY_PROVIDERS).toContain('names a file that is not JSON')
  expect(told.GALLEY_PROVIDERS).not.toContain('hunter2')
})

test('settings that are shown or logged have no key in them', () => {
  const { providers } = loadConfig({ ...ai, GALLEY_AI_KEY: 'hunter2' })
  expect(inspect(providers, { depth: null })).not.toContain('hunter2')
  expect(JSON.stringify(providers)).not.toContain('hunter2')
})

test('the lists say at once who can be asked, and a model is one provider in all of them', async () => {
  const outbound = createOutbound({ allowPrivate: [], userAgent: 'test' })
  onTestFinished(() => outbound.close())
  const providers = createProviders(loadConfig(ai).providers, outbound)
  expect(providers.text('basic')).toMatchObject([{ name: 'ai', model: 'llama' }])
  expect(providers.research('advanced')[0]).toBe(providers.text('basic')[0])
  expect(createProviders(loadConfig({}).providers, outbound).text('standard')).toEqual([])
})

test('the file that docs/generation.md shows is one that Galley takes', () => {
  const page = readFileSync(new URL('../../../docs/generation.md', import.meta.url), 'utf8')
  const [, example = ''] = /```json\n([\s\S]+?)```/.exec(page) ?? []
  const keys = { OPENAI_API_KEY: 'a', GEMINI_API_KEY: 'b', TAVILY_API_KEY: 'c' }
  const { steps, providers } = loadConfig(settings(example, keys)).providers
  expect(steps.image.basic).toEqual([
    { provider: 'openai', model: 'image-model' },
    { provider: 'cards', model: '' },
  ])
  expect(steps.search.standard).toHaveLength(3)
  // What can be said of a model is in it, or in the table below it.
  const named = Object.keys(providersFileSchemas({}).model.shape).filter(
    (member) => !page.includes(`| \`${member}\` |`),
  )
  expect([providers.length, named]).toEqual([8, []])
})
