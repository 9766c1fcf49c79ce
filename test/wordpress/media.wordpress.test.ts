import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Action } from '../../src/errors.ts'
import { sampleFiles } from '../../src/wordpress/doctor/probes/temporary-file.ts'
import { downloadFile, inspectFile } from '../../src/wordpress/media/download.ts'
import type { DownloadFailureCode } from '../../src/wordpress/media/download-failures.ts'
import { chooseFileName, type FileKind } from '../../src/wordpress/media/file-type.ts'
import { deleteMedia, findMediaByMarker, getMedia, uploadMedia } from '../../src/wordpress/media/library.ts'
import { opus, picture, wav } from './files.ts'
import { clientAs, outbound, type Role, unique } from './site.ts'

const made: number[] = []

async function upload(role: Role, marker = unique('galley'), altText = 'A harbour at dawn') {
  const fileName = chooseFileName({
    subject: altText,
    url: `https://pictures.example/${marker}`,
    extension: 'png',
  })
  const media = await uploadMedia(clientAs(role), {
    bytes: picture(40, 30),
    mimeType: 'image/png',
    fileName,
    marker,
    title: 'Harbour',
    altText,
    caption: 'Early',
  })
  made.push(media.id)
  return { media, marker, fileName }
}

afterAll(async () => {
  for (const id of made) await deleteMedia(clientAs('administrator'), { id })
})

describe('uploading a picture', () => {
  for (const role of ['administrator', 'editor', 'author'] as const) {
    it(`stores file, name, marker and alternative text in one request, as ${role}`, async () => {
      const { media, marker, fileName } = await upload(role)
      expect(media).toMatchObject({
        slug: marker,
        altText: 'A harbour at dawn',
        mimeType: 'image/png',
        width: 40,
        height: 30,
      })
      expect(media.sourceUrl.endsWith(`/${fileName}`)).toBe(true)
      expect((await findMediaByMarker(clientAs(role), marker))?.id).toBe(media.id)
    })
  }

  it('says that a contributor may not upload', async () => {
    await expect(upload('contributor')).rejects.toMatchObject({ code: 'cannot_upload', action: 'owner' })
  })

  it('gives up on a file whose type the site does not take', async () => {
    const uploading = uploadMedia(clientAs('author'), {
      bytes: Buffer.from('#!/bin/sh\n'),
      mimeType: 'text/x-sh',
      fileName: 'harbour.sh',
      marker: unique('galley'),
    })
    await expect(uploading).rejects.toMatchObject({
      code: 'upload_refused',
      action: 'permanent',
      fault: 'delivery',
    })
  })

  it('stores narration as audio', async () => {
    const media = await uploadMedia(clientAs('author'), {
      bytes: wav(),
      mimeType: 'audio/wav',
      fileName: `${unique('narration')}.wav`,
      marker: unique('galley'),
    })
    made.push(media.id)
    expect(media).toMatchObject({ mimeType: 'audio/wav', sizes: {} })
  })
})

describe('the media library', () => {
  it('finds nothing for a marker nobody used', async () => {
    expect(await findMediaByMarker(clientAs('author'), unique('galley'))).toBeNull()
  })

  it('answers null for a file that was deleted', async () => {
    const { media } = await upload('author')
    await deleteMedia(clientAs('administrator'), { id: media.id })
    expect(await getMedia(clientAs('author'), { id: media.id })).toBeNull()
  })
})

/** A PNG whose header says more pixels than anybody shows. */
function flood(): Buffer {
  const bytes = Buffer.from(picture(1, 1))
  bytes.writeUInt32BE(30_000, 16)
  bytes.writeUInt32BE(30_000, 20)
  return bytes
}

describe('downloading', () => {
  let host: Server
  let url: string
  const answers: Record<string, { status?: number; type: string; body: Buffer }> = {
    '/picture.jpg': { type: 'image/jpeg', body: picture(4, 4) },
    '/flood.png': { type: 'image/png', body: flood() },
    '/page.png': { type: 'image/png', body: Buffer.from('<!doctype html><title>Not here</title>') },
    '/expired.png': { status: 403, type: 'text/plain', body: Buffer.from('expired') },
    '/speech.opus': { type: 'audio/opus', body: opus() },
    '/speech.mp3': { type: 'text/plain', body: sampleFiles.mp3.bytes },
    '/large': { type: 'image/png', body: Buffer.alloc(1_100_000) },
    '/speech': { type: 'application/octet-stream', body: wav() },
    '/empty.png': { type: 'image/png', body: Buffer.alloc(0) },
    '/broken': { status: 500, type: 'text/plain', body: Buffer.from('oops') },
  }

  beforeAll(async () => {
    host = createServer(({ url = '' }, response) => {
      const {
        status = 200,
        type,
        body,
      } = answers[url] ?? { status: 404, type: 'text/plain', body: Buffer.from('no') }
      response.writeHead(status, { 'content-type': type }).end(body)
    })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    host.closeAllConnections()
    await new Promise((resolve) => host.close(resolve))
  })

  const limits = { maxBytes: 1024 * 1024 }
  const sources = { outbound, findStored: async () => undefined }

  it('believes the bytes of a picture, not its name', async () => {
    const file = await downloadFile('picture', sources, `${url}/picture.jpg`, limits)
    expect(file).toMatchObject({ mimeType: 'image/png', extension: 'png' })
  })

  for (const [path, mimeType, extension] of [
    ['/speech', 'audio/wav', 'wav'],
    ['/speech.opus', 'audio/ogg', 'ogg'],
    ['/speech.mp3', 'audio/mpeg', 'mp3'],
  ] as const) {
    it(`knows a sound file by its bytes: ${mimeType}`, async () => {
      expect(await downloadFile('audio', sources, url + path, limits)).toMatchObject({ mimeType, extension })
    })
  }

  const failing = {
    picture_missing: ['picture', '/gone', 'permanent', 'is not there (HTTP 404)'],
    picture_not_an_image: ['picture', '/page.png', 'permanent', 'it is not image/png, as it claims'],
    picture_unreachable: ['picture', '/broken', 'retry', 'its host answered HTTP 500'],
    picture_too_big: ['picture', '/large', 'permanent', 'is larger than 1 MB'],
    picture_too_many_pixels: ['picture', '/flood.png', 'permanent', '30000 × 30000 pixels'],
    audio_missing: ['audio', '/gone', 'permanent', 'is not there (HTTP 404)'],
    audio_not_audio: ['audio', '/picture.jpg', 'permanent', 'it is image/png'],
    audio_unreachable: ['audio', '/broken', 'retry', 'its host answered HTTP 500'],
    audio_too_big: ['audio', '/large', 'permanent', 'is larger than 1 MB'],
    file_missing: ['file', '/gone', 'permanent', 'is not there (HTTP 404)'],
    file_not_accepted: ['video', '/picture.jpg', 'permanent', 'it is image/png'],
    file_unreachable: ['file', '/broken', 'retry', 'its host answered HTTP 500'],
    file_too_big: ['video', '/large', 'permanent', 'is larger than 1 MB'],
  } satisfies Record<Exclude<DownloadFailureCode, 'picture_not_decoded'>, [FileKind, string, Action, string]>

  for (const [code, [kind, path, action, reads]] of Object.entries(failing)) {
    it(`${code}: “… ${reads} …”, fetched or looked at, and the site is not blamed`, async () => {
      for (const way of [downloadFile, inspectFile])
        await expect(way(kind as FileKind, sources, url + path, limits)).rejects.toMatchObject({
          code,
          action,
          fault: 'delivery',
          message: expect.stringContaining(reads),
        })
    })
  }

  for (const [path, code] of [
    ['/empty.png', 'picture_not_an_image'],
    ['/expired.png', 'picture_missing'],
  ] as const) {
    it(`${code}: ${path}`, async () => {
      await expect(downloadFile('picture', sources, url + path, limits)).rejects.toMatchObject({
        code,
        action: 'permanent',
      })
    })
  }

  it('does not fetch a picture from a private address', async () => {
    await expect(downloadFile('picture', sources, 'http://10.0.0.1/a.png', limits)).rejects.toMatchObject({
      code: 'picture_unreachable',
      action: 'permanent',
      message: expect.stringContaining('not a public address'),
    })
  })
})

describe('file names', () => {
  it('are readable, and the same for the same source', () => {
    const naming = { subject: 'Øresund: Brücke & Fähre', url: 'https://a.example/1', extension: 'png' }
    expect(chooseFileName(naming)).toMatch(/^resund-brucke-fahre-[0-9a-f]{6}\.png$/)
    expect(chooseFileName(naming)).toBe(chooseFileName(naming))
  })

  it('differ for two pictures of one subject', () => {
    const naming = { subject: 'Harbour', extension: 'png' }
    expect(chooseFileName({ ...naming, url: 'https://a.example/1' })).not.toBe(
      chooseFileName({ ...naming, url: 'https://a.example/2' }),
    )
  })
})
