// Packages without types of their own.

declare module 'sentencex' {
  export default function segment(language: string, text: string): string[]
}

declare module 'html-encoding-sniffer' {
  export default function sniffEncoding(
    bytes: Uint8Array,
    options: { transportLayerEncodingLabel: string; defaultEncoding: string },
  ): string
}

/** The part of @evan/opus that runs everywhere: libopus as WebAssembly, read from beside it. */
declare module '@evan/opus/wasm/index.js' {
  export class Encoder {
    constructor(options: { channels: 1 | 2; sample_rate: number; application: 'audio' | 'voip' })
    /** One packet of as many samples as one packet may have, 16 bits each. */
    encode(samples: ArrayBufferView): Uint8Array
    ctl(request: number, value?: number): number
    drop(): void
  }
}

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
