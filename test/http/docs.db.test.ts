import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const open = { key: undefined }
const filesOf = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, name]) => name as string)

it('200-page, whose scripts are files of this origin alone', async () => {
  const { status, headers, body } = await app.ask('GET', '/docs', open)
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toContain(
    "default-src 'none'; script-src 'self'; style-src 'self'",
  )
  expect(headers.get('content-security-policy')).not.toContain('unsafe')
  expect(body).not.toMatch(/<script>|https?:|style=|\son\w+=/)
  expect(filesOf(body)).toHaveLength(3)
})

it('200-files, kept by caches for an hour', async () => {
  const { body } = await app.ask('GET', '/docs', open)
  for (const name of filesOf(body)) {
    const { status, headers } = await app.ask('GET', name, open)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    expect(headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/)
  }
})

it('200-guide, with anchors at its headings and no link to what is not served', async () => {
  const { status, headers, body } = await app.ask('GET', '/docs/contract.md', open)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(body).toContain('<h2 id="signatures">')
  expect(body).not.toMatch(/href="\.\.|<script|style="(?!text-align)/)
})

it('404-unknown-file, and no way out of the folder', async () => {
  for (const name of [
    'nothing.js',
    'nothing.md',
    '..%2fREADME.md',
    '..%2f..%2fpackage.json',
    'package.json',
  ]) {
    const { status, headers, body } = await app.ask('GET', `/docs/${name}`, open)
    expect(status).toBe(404)
    expect(body.error.code).toBe('NOT_FOUND')
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

it('405-other-method', async () => {
  expect((await app.ask('POST', '/docs', open)).status).toBe(405)
})
