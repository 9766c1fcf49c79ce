import type { Audio } from '../contract/tree.ts'
import { beginning } from '../text.ts'
import type { State } from './state.ts'
import { fileUrl } from './url.ts'

/** What both formats write of a sound; `undefined` where its address is not one that may be loaded. */
export function soundOf({ url }: Audio, state: State): { id: number | undefined; src: string } | undefined {
  const media = state.media.get(url)
  const src = fileUrl(media?.url ?? url)
  if (src === undefined) {
    state.warn('audio_unsafe', `The sound at "${beginning(url, 80)}" was left out: it is not a web address.`)
    return undefined
  }
  return { id: media?.id, src }
}
