import { describe, expect, it } from 'vitest'
import { multipart } from '../../src/wordpress/client/multipart.ts'

const bytes = Buffer.alloc(200 * 1024, 'a picture ')
const file = { name: 'a "harbour"\r\nat dawn.png', mimeType: 'image/png', bytes }

describe('a form with a file', () => {
  it('is read by others as it was meant, and is as long as it says', async () => {
    const form = multipart({ slug: 'galley-1', title: 'Hafen “Süd”\nbei Nacht', post: undefined }, file)
    const body = Buffer.concat([...form])
    expect(body).toHaveLength(form.length)
    const read = await new Response(body, { headers: { 'content-type': form.contentType } }).formData()
    expect([...read.keys()]).toEqual(['slug', 'title', 'file'])
    expect([read.get('slug'), read.get('title')]).toEqual(['galley-1', 'Hafen “Süd”\nbei Nacht'])
    const sent = read.get('file') as File
    expect([sent.type, Buffer.from(await sent.arrayBuffer()).equals(bytes)]).toEqual(['image/png', true])
  })

  it('cannot be continued by the name or the type of its file', () => {
    const evil = { ...file, name: 'x"\r\nX-Evil: 1\r\n\r\n', mimeType: 'image/png\r\nX-Evil: 1' }
    const head = [...multipart({}, evil)][0]?.toString()
    expect(head).toContain('filename="x%22%0D%0AX-Evil: 1%0D%0A%0D%0A"')
    expect(head?.split('\r\n').filter((line) => line.startsWith('X-Evil'))).toEqual([])
  })

  it('has the file in memory once, and sends it in small pieces', () => {
    const pieces = [...multipart({}, file)].slice(1, -1)
    expect(pieces.every(({ buffer, length }) => buffer === bytes.buffer && length <= 64 * 1024)).toBe(true)
    expect(pieces).toHaveLength(4)
  })
})
