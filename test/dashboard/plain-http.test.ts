import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

// What browsers have for pages that came by https alone (https://developer.mozilla.org/docs/Web/Security/Secure_Contexts):
// over http from another machine it is undefined, and whoever calls it has a button that does nothing.
const forHttpsAlone =
  /\brandomUUID\b|crypto\.subtle|navigator\.(clipboard\.|serviceWorker|locks|storage|credentials|share|wakeLock)|\bcaches\./

const root = 'dashboard/src'
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map(
    (path) =>
      [path, readFileSync(join(root, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')] as const,
  )

it('the page calls nothing that is there with https alone', () => {
  expect(sources.length).toBeGreaterThan(100)
  expect(sources.filter(([, source]) => forHttpsAlone.test(source)).map(([path]) => path)).toEqual([])
})
