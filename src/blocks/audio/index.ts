import { z } from 'zod'
import { resolveFile } from '../../render/context.ts'
import { blockMarkup, escapeAttribute, escapeBlockAttribute } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import { addressOf } from '../wire.ts'

export interface Audio {
  type: 'audio'
  url: string
}

export const audio: BlockDefinition<Audio, 'url'> = {
  type: 'audio',
  aliases: ['sound', 'podcast', 'recording'],
  names: { url: ['url', 'src', 'audio_url', 'audio', 'sources'] },
  description: 'A recording amid the text, which is fetched and uploaded to the site.',
  example: { url: 'https://example.com/surf.mp3' },
  shape: () => ({ url: z.string().describe('A full address, http or https.') }),
  read: ({ url }, reading) => {
    const address = addressOf(url)
    if (address !== undefined) return [{ type: 'audio', url: reading.file('url', address) }]
    reading.warn('audio_without_url', 'a recording has no address')
    return []
  },
  render: {
    block: (node, context) => {
      const sound = resolveFile(node.url, 'audio', context)
      if (sound === undefined) return ''
      const player = `<audio controls src="${escapeBlockAttribute(sound.src)}"></audio>`
      return blockMarkup('audio', { id: sound.id }, `<figure class="wp-block-audio">${player}</figure>`)
    },
    classic: (node, context) => {
      const sound = resolveFile(node.url, 'audio', context)
      return sound === undefined ? '' : `<p><audio controls src="${escapeAttribute(sound.src)}"></audio></p>`
    },
  },
  parts: () => [],
  files: ({ url }) => [{ kind: 'audio', url, alt: '', title: '' }],
}
