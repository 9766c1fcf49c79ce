declare module '@echogarden/espeak-ng-emscripten' {
  interface Synthesiser {
    /** @returns 0, or 2 for one that it does not have, and then it keeps the one before */
    set_voice(name: string): number
    set_rate(rate: number): void
    set_pitch(pitch: number): void
    get_samplerate(): number
    /** SSML, and phonemes between double square brackets. Calls back for each bit of sound until it is told `true`. */
    synthesize(ssml: string, heard: (samples: Int16Array | undefined) => boolean): void
  }
  export default function load(): Promise<{ eSpeakNGWorker: new () => Synthesiser }>
}
