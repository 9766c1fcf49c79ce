import { describe, expect, it, onTestFinished } from 'vitest'
import type { WordPressClient } from '../../../src/wordpress/client/client.ts'
import { sampleUpload } from '../../../src/wordpress/doctor/probes/temporary-file.ts'
import { probeUpload } from '../../../src/wordpress/doctor/probes/upload.ts'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import { uploadMedia } from '../../../src/wordpress/media/library.ts'
import { findMedia, removeMedia } from '../../support/wordpress/index.ts'
import { unique } from '../site.ts'
import { everything } from './lines.ts'
import { linesOf, misbehaving } from './misbehaving.ts'

const probed = (client: WordPressClient) =>
  probeUpload(client, { marker: unique('galley-check'), lists: true })

describe('two pictures with the same content', () => {
  // Two, as WordPress has it: uploads.wordpress.test.ts.
  it('are one where a plugin keeps each file once: said before a document is held for it', async () => {
    const before = await everything()
    const { findings, leftBehind } = await probed(await misbehaving('keeps-files-once'))
    expect(linesOf(findings, 'same_files')).toMatchObject([
      {
        level: 'warning',
        seen: expect.stringContaining('keeps each file only once'),
        means: expect.stringContaining('is held'),
        todo: expect.stringContaining('Exclude uploads over the REST API'),
      },
    ])
    for (const check of ['file_slugs', 'media_types'] as const)
      expect(linesOf(findings, check)).toMatchObject([{ level: 'ok' }])
    expect(leftBehind).toEqual([])
    expect(await everything()).toEqual(before)
  })

  it('are one also of a photo that another check has just uploaded: it stays, and no name is blamed for it', async () => {
    const client = await misbehaving('keeps-files-once')
    const theirs = await uploadMedia(client, sampleUpload('jpg', unique('other-check')))
    onTestFinished(() => removeMedia(theirs.id))
    const { findings, leftBehind } = await probed(client)
    expect(linesOf(findings, 'same_files')).toMatchObject([{ level: 'warning' }])
    expect(linesOf(findings, 'file_slugs')).toMatchObject([{ level: 'ok' }])
    expect(leftBehind).toMatchObject([
      { what: expect.stringContaining(`file ${theirs.id} (`), isOurs: false },
    ])
    expect(await findMedia(`include=${theirs.id}`)).toHaveLength(1)
  })

  it('are refused by a plugin that asks for the file that is there: said in its words', async () => {
    const before = await everything()
    const { findings } = await probed(await misbehaving('refuses-same-files'))
    expect(linesOf(findings, 'same_files')).toMatchObject([
      { level: 'warning', seen: expect.stringContaining('This file is in your media library already') },
    ])
    expect(await everything()).toEqual(before)
  })

  it('are not said to be kept once where a cache answers each upload with the first', async () => {
    const before = await everything()
    const { findings } = await runChecks(await misbehaving(`caches-uploads:${crypto.randomUUID()}`))
    expect(linesOf(findings, 'same_files')).toEqual([])
    expect(linesOf(findings, 'file_slugs')).toMatchObject([
      { level: 'problem', seen: expect.stringContaining('names another file') },
    ])
    expect(linesOf(findings, 'upload_limit')).toEqual([])
    expect(await everything()).toEqual(before)
  })
})
