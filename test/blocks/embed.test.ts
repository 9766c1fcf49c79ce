import { describe, expect, it } from 'vitest'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'

function read(block: unknown) {
  const { document, warnings } = normaliseDocument(
    documentDataSchema.parse({ title: 'T', content: { content: [block] } }),
  )
  return { blocks: document.blocks, warnings: warnings.map(({ code }) => code) }
}

const embed = (url: string) => ({ blocks: [{ type: 'embed', url }], warnings: [] })
const film = 'https://www.youtube.com/watch?v=pwChk4S99i4'

describe('an embed', () => {
  it.each<[block: object, page: string]>([
    [{ type: 'youtube', videoId: 'pwChk4S99i4' }, film],
    [{ type: 'youtube', id: 'pwChk4S99i4' }, film],
    [{ type: 'youtube', video_id: 'pwChk4S99i4' }, film],
    [{ type: 'youtube', url: 'pwChk4S99i4' }, film],
    [{ type: 'embed', provider: 'YouTube', id: 'pwChk4S99i4' }, film],
    [{ type: 'youtube', attrs: { src: 'https://www.youtube-nocookie.com/embed/pwChk4S99i4' } }, film],
    [{ type: 'iframe', src: 'https://www.youtube.com/embed/pwChk4S99i4?rel=0&start=30' }, `${film}&t=30s`],
    [
      { type: 'embed', url: 'https://www.youtube.com/embed/videoseries?list=PLabc' },
      'https://www.youtube.com/playlist?list=PLabc',
    ],
    [{ type: 'video_embed', url: 'https://youtu.be/pwChk4S99i4' }, 'https://youtu.be/pwChk4S99i4'],
    [{ type: 'embed', url: 'https://youtube.com/shorts/abc' }, 'https://youtube.com/shorts/abc'],
    [
      { type: 'embed', id: 'a1', data: { service: 'youtube', source: film, embed: 'https://x.example/' } },
      film,
    ],
    [{ type: 'vimeo', id: 76979871 }, 'https://vimeo.com/76979871'],
    [
      { type: 'vimeo', url: 'https://player.vimeo.com/video/76979871?h=8272103f6e' },
      'https://vimeo.com/76979871/8272103f6e',
    ],
    [{ type: 'tweet', id: '20' }, 'https://twitter.com/i/status/20'],
    [{ type: 'tweet', url: 'https://x.com/jack/status/20' }, 'https://twitter.com/jack/status/20'],
    [
      { type: 'spotify', url: 'https://open.spotify.com/embed/track/11dFghVXANMlKmJXsNCbNl' },
      'https://open.spotify.com/track/11dFghVXANMlKmJXsNCbNl',
    ],
    [
      { type: 'spotify', uri: 'spotify:track:11dFghVXANMlKmJXsNCbNl' },
      'https://open.spotify.com/track/11dFghVXANMlKmJXsNCbNl',
    ],
    [
      { type: 'embed', url: 'https://w.soundcloud.com/player/?url=https%3A//soundcloud.com/a/b&color=f50' },
      'https://soundcloud.com/a/b',
    ],
    [{ type: 'embed', url: 'https://dai.ly/x8x8x8' }, 'https://www.dailymotion.com/video/x8x8x8'],
    [
      { type: 'embed', url: 'https://old.reddit.com/r/a/comments/b/c/' },
      'https://www.reddit.com/r/a/comments/b/c/',
    ],
    [{ type: 'pinterest', url: 'https://pinterest.de/pin/12/' }, 'https://www.pinterest.com/pin/12/'],
    [
      {
        type: 'oembed',
        html: '<iframe width="560" src="https://www.youtube.com/embed/pwChk4S99i4"></iframe>',
      },
      film,
    ],
    [
      {
        type: 'embed',
        html: '<blockquote class="twitter-tweet"><a href="https://t.co/x">x</a> <a href="https://twitter.com/jack/status/20">2006</a></blockquote>',
      },
      'https://twitter.com/jack/status/20',
    ],
    [{ type: 'embed', url: 'https://blog.example/tides' }, 'https://blog.example/tides'],
  ])('is the page that WordPress embeds: %j', (block, page) => {
    expect(read(block)).toEqual(embed(page))
  })

  it('has its title below it where it has no caption', () => {
    expect(read({ type: 'youtube', url: film, title: 'Tides' }).blocks).toEqual([
      { type: 'embed', url: film, caption: [{ type: 'text', text: 'Tides' }] },
    ])
  })

  it.each([
    { type: 'iframe', src: 'https://maps.example/bay', title: 'The bay' },
    { type: 'instagram', url: 'https://www.instagram.com/p/abc', caption: 'The bay' },
    { type: 'embed', url: '/bay', caption: 'The bay' },
    { type: 'embed', url: 'mailto:a@example.com', caption: 'The bay' },
  ])('is a link where WordPress would not embed it, and is said: %j', (block) => {
    const { blocks, warnings } = read(block)
    expect(blocks).toMatchObject([
      { type: 'paragraph', content: [{ type: 'link', children: [{ type: 'text', text: 'The bay' }] }] },
    ])
    expect(warnings).toEqual(['embed_as_link'])
  })

  it('keeps its words where it has no address, and is said', () => {
    expect(read({ type: 'embed', caption: 'A film' })).toEqual({
      blocks: [{ type: 'paragraph', content: [{ type: 'text', text: 'A film' }] }],
      warnings: ['block_left_out'],
    })
  })

  it('is something to see in a document that has nothing else', () => {
    expect(
      documentDataSchema.safeParse({ title: 'T', content: { content: [{ type: 'embed', url: film }] } })
        .success,
    ).toBe(true)
  })
})
