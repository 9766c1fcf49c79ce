import { describe, expect, it } from 'vitest'
import { probeUpload } from '../../../src/wordpress/doctor/probes/upload.ts'
import type { Finding } from '../../../src/wordpress/doctor/report.ts'
import { findMedia } from '../../support/wordpress/index.ts'
import { unique, wordpress } from '../site.ts'
import { linesOf, misbehaving } from './misbehaving.ts'

/** What is said of uploads where a plugin does this; nothing of them stays. */
async function findingsWith(how: string): Promise<Finding[]> {
  const marker = unique('galley-check')
  const { findings, leftBehind } = await probeUpload(await misbehaving(how, 'author'), {
    marker,
    lists: true,
  })
  expect([leftBehind, await findMedia(`search=${marker}`)]).toEqual([[], []])
  return findings
}

describe('what the doctor says of each type of file', () => {
  it('names the type that a plugin converts, and what it becomes', async () => {
    const findings = await findingsWith('converts-jpeg-to-webp')
    expect(linesOf(findings, 'media_types')).toMatchObject([
      { level: 'ok', seen: expect.stringContaining('converts some of them (JPEG to image/webp)') },
    ])
    expect(linesOf(findings, 'file_slugs')).toMatchObject([{ level: 'ok' }])
  })

  it('names the type whose files alone get another name and another slug', async () => {
    expect(linesOf(await findingsWith('renames-photos'), 'file_slugs')).toMatchObject([
      { level: 'warning', seen: expect.stringMatching(/^Plugins give a JPEG file both .* “photo-\d+”/) },
    ])
  })

  it('has nothing against another extension', async () => {
    const findings = await findingsWith('lengthens-extensions')
    expect(findings.map(({ level }) => level)).toEqual(findings.map(() => 'ok'))
    expect(linesOf(findings, 'media_types')).toMatchObject([
      { seen: 'PNG, JPEG, GIF, WebP, MP3 files are accepted.' },
    ])
  })

  /** Before 6.8 WordPress takes what its server cannot process. */
  const asksServer = !/^6\.[0-7](\.|$)/.test(wordpress().version)

  const refusing: [string, string][] = [['refuses-webp', 'not allowed to upload this file type']]
  if (asksServer) refusing.push(['cannot-edit-webp', 'cannot generate responsive image sizes'])

  it.each(refusing)('quotes why WebP is refused (%s)', async (how, words) => {
    expect(linesOf(await findingsWith(how), 'media_types')).toMatchObject([
      {
        level: 'warning',
        seen: expect.stringMatching(new RegExp(`^The site does not accept WebP files\\. .*${words}`)),
        todo: expect.stringContaining('GD or Imagick'),
      },
    ])
  })
})
