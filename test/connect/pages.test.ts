import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { askPage, connectedPage, rejectedPage } from '../../src/connect/pages.ts'
import { type Page, sendPage } from '../../src/pages/page.ts'
import type { SiteReport } from '../../src/sites/health/report.ts'

// What the owner of a site reads.

type Asking = Parameters<typeof askPage>[0]

const words = ({ body }: { body: { text: string } }) =>
  body.text
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()

describe('the question', () => {
  const page = (askedBy: string | null, problem?: string) =>
    askPage({
      link: {
        token: 'unused',
        askedBy,
        row: {
          url: 'https://example.com',
          restRoot: 'https://example.com/wp-json/',
          expiresAt: new Date(0),
        } as Asking['link']['row'],
      },
      options: {
        way: 'authorize',
        address: 'https://example.com/wp-admin/authorize-application.php',
        elsewhere: null,
        hidden: false,
        insecureReturn: false,
      },
      form: { action: '/', state: '' },
      problem,
      orphanedPassword: false,
    })

  it('names whoever asks', () => {
    expect(words(page('Brightwater Media'))).toContain('Brightwater Media asks to connect example.com')
    expect(words(page('Brightwater Media'))).toContain(
      'If you do not know who Brightwater Media is, close it',
    )
  })

  it('names nobody where nobody has said who asks', () => {
    expect(words(page(null))).toContain('Whoever sent you this link asks to connect example.com')
    expect(words(page(null))).toContain('If you do not know who sent it, close it')
    expect(words(page(null))).not.toContain('null')
  })

  it('has the form folded shut at first, and open after a try that failed', () => {
    expect(page(null).body.text).toContain('<details>')
    expect(page(null, 'WordPress does not know the password.').body.text).toContain('<details open>')
  })
})

describe('the site is connected', () => {
  const page = (...levels: SiteReport['level'][]) =>
    connectedPage({
      site: { name: 'example.com', url: 'https://example.com', username: 'anna' },
      report: {
        level: levels.includes('problem') ? 'problem' : 'warning',
        findings: levels.map((level) => ({ check: level, level, seen: `a ${level}`, means: '', todo: null })),
      } as unknown as SiteReport,
    })

  it('says first what stands in the way, then what is only worth a look', () => {
    const text = words(page('ok', 'warning', 'problem'))
    expect(text.indexOf('a problem')).toBeGreaterThan(0)
    expect(text.indexOf('a problem')).toBeLessThan(text.indexOf('a warning'))
  })

  it('says in its heading that no post will arrive, lets nobody go, and how another user is connected', () => {
    const text = words(page('problem'))
    expect(text).toContain('example.com is connected, but cannot take posts yet')
    expect(text).not.toContain('You can close this page')
    expect(text).toContain('ask whoever sent you the link for a new one')
  })

  it('is done where posts arrive, and says nothing of another link', () => {
    expect(words(page('warning'))).toContain('from now on. You can close this page.')
    expect(words(page('warning'))).not.toContain('for a new one')
  })

  it('lets nobody go while it looks', () => {
    const site = { name: 'example.com', url: 'https://example.com', username: 'anna' }
    expect(words(connectedPage({ site, report: 'waiting' }))).not.toContain('You can close')
    expect(words(connectedPage({ site, report: null }))).toContain('You can close')
  })
})

it('a no names nobody where nobody has said who asks', () => {
  const page = rejectedPage({ site: 'example.com', askedBy: null, again: '/', disabled: false })
  expect(words(page)).toContain('Whoever sent you the link can see that.')
})

/** A page as a browser gets it that asks for these languages. */
async function sent(page: Page, languages: string): Promise<string> {
  const server = createServer(express().get('/', (_request, response) => sendPage(response, page)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}`, { headers: { 'accept-language': languages } })
  server.close()
  return answer.text()
}

describe('the language of the browser', () => {
  const page = connectedPage({
    site: { name: 'example.com', url: 'https://example.com', username: 'Fine.' },
    report: {
      level: 'ok',
      findings: [
        {
          check: 'slugs',
          level: 'ok',
          seen: 'A draft keeps the slug that it is given.',
          means: '',
          todo: null,
        },
      ],
    } as unknown as SiteReport,
  })

  it.each(['de', 'de-AT,de;q=0.9,en;q=0.5', 'fr,de;q=0.5'])('is German: %s', async (languages) => {
    const text = await sent(page, languages)
    expect(text).toContain('<html lang="de">')
    expect(text).toContain('<title>example.com ist verbunden – Galley</title>')
    expect(text).toContain(
      '<span class="level ok">In Ordnung.</span>Ein Entwurf behält den Slug, den er bekommt.',
    )
    expect(text).toContain('als <strong>Fine.</strong>')
  })

  it.each(['en,de;q=0.9', 'fr', '*', ''])('is English: “%s”', async (languages) => {
    const text = await sent(page, languages)
    expect(text).toContain('<html lang="en-GB">')
    expect(text).toContain('Fine.</span>A draft keeps the slug that it is given.')
  })

  it('says the day as that language does', async () => {
    const link = { askedBy: null, row: { url: 'https://example.com', expiresAt: new Date('2026-12-05') } }
    const asking = { link, options: { way: 'form', why: 'switched_off' } } as unknown as Asking
    const page = askPage({
      ...asking,
      form: { action: '/', state: '' },
      problem: undefined,
      orphanedPassword: false,
    })
    expect(await sent(page, 'de')).toContain('bis zum 5. Dezember 2026.')
    expect(await sent(page, 'en')).toContain('until 5 December 2026.')
  })
})
