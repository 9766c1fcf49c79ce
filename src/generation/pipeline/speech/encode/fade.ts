/** Seconds in which a piece of speech comes out of silence, and goes back into it. */
const FADE = 0.005

/**
 * Fades a piece of speech in and out, so that it can stand beside any other without a click: its first and its last
 * sample are silence.
 *
 * @param total samples of the whole piece
 * @returns what fades the next samples of it, in place
 */
export function createFade(sampleRate: number, total: number): (samples: Float32Array) => void {
  const length = Math.round(sampleRate * FADE)
  let before = 0
  return (samples) => {
    for (let index = 0; index < samples.length; index += 1) {
      const edge = Math.min(before + index, total - 1 - before - index)
      if (edge < length) samples[index] = ((samples[index] ?? 0) * edge) / length
    }
    before += samples.length
  }
}
