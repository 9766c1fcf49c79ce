import type { Audio } from '../tree.ts'
import { firstText, isWire, type Wire } from './fields.ts'
import type { Reading } from './reading.ts'

/** Narration under `audio`, as its URL or an object, or under `audio_url`. */
export function readAudio(wire: Wire, reading: Reading): Audio | undefined {
  const { audio } = wire
  const url =
    (isWire(audio) ? firstText(audio, ['url', 'src']) : firstText(wire, ['audio'])) ??
    firstText(wire, ['audio_url'])
  return url === undefined ? undefined : { type: 'audio', url: reading.file('audio', url.trim()) }
}
