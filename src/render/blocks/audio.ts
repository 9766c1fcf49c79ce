import type { Audio } from '../../contract/tree.ts'
import { blockComment, escapeBlockAttribute } from '../escape.ts'
import { soundOf } from '../sound.ts'
import type { Handler } from '../state.ts'

export const audio: Handler<Audio> = (node, state) => {
  const sound = soundOf(node, state)
  if (sound === undefined) return ''
  const comment = blockComment(sound.id === undefined ? {} : { id: sound.id })
  return `<!-- wp:audio${comment} -->\n<figure class="wp-block-audio"><audio controls src="${escapeBlockAttribute(sound.src)}"></audio></figure>\n<!-- /wp:audio -->`
}
