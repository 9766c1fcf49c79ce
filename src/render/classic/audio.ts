import type { Audio } from '../../contract/tree.ts'
import { escapeAttribute } from '../escape.ts'
import { soundOf } from '../sound.ts'
import type { Handler } from '../state.ts'

export const audio: Handler<Audio> = (node, state) => {
  const sound = soundOf(node, state)
  return sound === undefined ? '' : `<p><audio controls src="${escapeAttribute(sound.src)}"></audio></p>`
}
