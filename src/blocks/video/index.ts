import { z } from 'zod'
import { classicFigure, figcaption, type RenderContext, resolveFile } from '../../render/context.ts'
import { blockMarkup, escapeAttribute, escapeBlockAttribute, safeFileUrl } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import { embed } from '../embed/index.ts'
import { pageOf, providerOf } from '../embed/providers.ts'
import type { Inline } from '../index.ts'
import { paragraphMarkup } from '../paragraph/index.ts'
import { addressOf, collapseToLine, filled, plainText } from '../wire.ts'

export interface Video {
  type: 'video'
  url: string
  caption?: Inline[]
  poster?: string
  title?: string
}

const { player, html, id, provider } = embed.names

export const video: BlockDefinition<
  Video,
  'url' | 'player' | 'html' | 'id' | 'provider' | 'caption' | 'poster' | 'title'
> = {
  type: 'video',
  aliases: ['movie', 'film', 'video_file', 'clip', 'mp4'],
  names: {
    url: ['url', 'src', 'video_url', 'videoUrl', 'video', 'source', 'href', 'link', 'file', 'sources'],
    player,
    html,
    id,
    provider,
    caption: ['caption', 'figcaption', 'text'],
    poster: 'poster poster_url posterUrl thumbnail thumbnail_url thumbnailUrl preview_image'.split(' '),
    title: ['title'],
  },
  description: 'A film, which is fetched and uploaded to the site.',
  example: {
    url: 'https://example.com/bore.mp4',
    caption: 'The bore on the Severn',
    poster: 'https://example.com/bore.jpg',
  },
  shape: ({ inlines }) => ({
    url: z.string().describe('A full address, http or https; that of a page of a provider is an `embed`.'),
    caption: inlines.optional().describe('Shown below it.'),
    poster: z.string().optional().describe('The address of the picture that is shown before it plays.'),
    title: z.string().optional().describe('Its title in the media library; its caption where it has none.'),
  }),
  read: ({ url, caption, poster, title, ...members }, reading) => {
    const address = addressOf(url)
    const name = collapseToLine(plainText(title))
    const below = reading.inlines(plainText(caption).trim() === '' ? name : caption)
    const picture = addressOf(poster)
    if (address === undefined || !/[./]/.test(address) || providerOf(pageOf(address)) !== undefined) {
      const blocks = embed.read({ url, caption: caption ?? title, ...members }, reading, 'video')
      const isPlayed = picture === undefined || blocks.some(({ type }) => type === 'embed')
      return isPlayed ? blocks : [...reading.block({ type: 'image', url: picture }), ...blocks]
    }
    return [
      {
        type: 'video',
        url: reading.file('url', address),
        ...filled({
          caption: below,
          poster: picture && reading.file('poster', picture),
          title: reading.line('title', name),
        }),
      },
    ]
  },
  render: {
    block: (node, context) => {
      const caption = context.inlines(node.caption ?? [])
      const film = resolveFilm(node, context)
      if (film === undefined) return paragraphMarkup.block(caption)
      const { src, poster, id } = film
      const picture = poster === undefined ? '' : ` poster="${escapeBlockAttribute(poster)}"`
      const player = `<video controls${picture} src="${escapeBlockAttribute(src)}"></video>`
      return blockMarkup(
        'video',
        { id },
        `<figure class="wp-block-video">${player}${figcaption(caption)}</figure>`,
      )
    },
    classic: (node, context) => {
      const caption = context.inlines(node.caption ?? [])
      const film = resolveFilm(node, context)
      if (film === undefined) return paragraphMarkup.classic(caption)
      const picture = film.poster === undefined ? '' : ` poster="${escapeAttribute(film.poster)}"`
      const player = `<video controls${picture} src="${escapeAttribute(film.src)}"></video>`
      return caption === '' ? `<p>${player}</p>` : classicFigure(player, caption)
    },
  },
  parts: ({ caption }) => (caption ? [caption] : []),
  files: ({ url, poster, title = '' }) => [
    { kind: 'video', url, alt: '', title },
    ...(poster === undefined ? [] : [{ kind: 'picture', url: poster, alt: '', title } as const]),
  ],
}

function resolveFilm({ url, poster }: Video, context: RenderContext) {
  const film = resolveFile(url, 'video', context)
  const shown = poster === undefined || context.hidden?.has(poster) ? undefined : poster
  const picture = shown === undefined ? undefined : safeFileUrl(context.media.get(shown)?.url ?? shown)
  return film && { ...film, poster: picture }
}
