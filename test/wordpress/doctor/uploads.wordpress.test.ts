import { describe, expect, it } from 'vitest'
import { probeUploadLimit } from '../../../src/wordpress/doctor/probes/temporary-file.ts'
import { probeUpload } from '../../../src/wordpress/doctor/probes/upload.ts'
import { answer, answerAfter, pages, restError } from '../../support/proxy/index.ts'
import { findMedia } from '../../support/wordpress/index.ts'
import { through } from '../proxied.ts'
import { clientAs, unique } from '../site.ts'
import { containing, line } from './lines.ts'

const MEGABYTE = 1024 * 1024

describe('trying to upload', () => {
  it('stores a file of each type and removes it', async () => {
    const marker = unique('galley-check')
    const { findings, leftBehind, isSound } = await probeUpload(clientAs('author'), { marker, lists: true })
    expect({ isSound, leftBehind }).toEqual({ isSound: true, leftBehind: [] })
    expect(findings.map(({ check, level }) => [check, level])).toEqual([
      ['right_to_upload', 'ok'],
      ['media_types', 'ok'],
      ['same_files', 'ok'],
      ['file_slugs', 'ok'],
      ['media_library', 'ok'],
    ])
    expect(await findMedia(`search=${marker}`)).toEqual([])
  })

  it('says that a contributor may not', async () => {
    const { findings, isSound } = await probeUpload(clientAs('contributor'), {
      marker: unique('galley-check'),
      lists: true,
    })
    expect(isSound).toBe(false)
    expect(findings).toMatchObject([{ check: 'right_to_upload', level: 'warning' }])
  })

  it('names the type that the site does not take', async () => {
    const refused = answer(restError(500, 'rest_upload_unknown_error', 'Not this file type.'))
    const { client } = await through(refused, { match: { where: containing('audio/mpeg') } })
    const { findings, isSound } = await probeUpload(client, { marker: unique('galley-check'), lists: true })
    expect(isSound).toBe(true)
    expect(line(findings, 'media_types')).toMatchObject({
      level: 'warning',
      seen: expect.stringContaining('does not accept MP3 files'),
    })
  })

  it('removes a file that could not be looked at, and does not say that it was refused', async () => {
    const { client } = await through(answer(pages.badGateway), {
      match: { method: 'GET', path: /\/media\/\d+$/ },
    })
    const marker = unique('galley-check')
    const { findings, leftBehind, isSound } = await probeUpload(client, { marker, lists: true })
    expect({ isSound, leftBehind }).toEqual({ isSound: true, leftBehind: [] })
    expect(line(findings, 'media_library')).toMatchObject({
      level: 'warning',
      seen: expect.stringContaining('502'),
    })
    expect(await findMedia(`search=${marker}`)).toEqual([])
  })

  it('removes a file whose upload was answered with an error', async () => {
    const { client } = await through(answerAfter(pages.badGateway), {
      match: { method: 'POST', path: '/wp/v2/media' },
    })
    const marker = unique('galley-check')
    const { findings, leftBehind } = await probeUpload(client, { marker, lists: true })
    expect(line(findings, 'right_to_upload')?.level).toBe('problem')
    expect(leftBehind).toEqual([])
    expect(await findMedia(`search=${marker}`)).toEqual([])
  })
})

describe('the size that gets through', () => {
  it('is 8 MB on a site without a lower limit, and no file is made to find out', async () => {
    const marker = unique('galley-check')
    const { finding } = await probeUploadLimit(clientAs('author'), { marker })
    expect(finding).toMatchObject({ level: 'ok', seen: 'A file of 8 MB gets through.' })
    expect(await findMedia(`search=${marker}`)).toEqual([])
  })

  for (const [limit, level, seen, bytes] of [
    [4, 'warning', 'A file of 2 MB gets through, one of 8 MB does not', 2 * MEGABYTE],
    [1, 'warning', 'Not even a file of 2 MB gets through', 0],
  ] as const) {
    it(`is ${bytes / MEGABYTE} MB where the server takes ${limit} MB`, async () => {
      const { client } = await through(answer(pages.tooLarge), {
        match: { where: ({ body }) => body.length > limit * MEGABYTE },
      })
      const { finding } = await probeUploadLimit(client, { marker: unique('galley-check') })
      expect(finding).toMatchObject({ level, seen: expect.stringContaining(seen) })
    })
  }
})
