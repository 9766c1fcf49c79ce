import type { Voice } from '../../../contract/generation/choices.ts'

/** How eSpeak NG sounds like a voice at all: one of its variants, words a minute, and pitch from 0 to 99. */
export interface Sound {
  variant: string
  rate: number
  pitch: number
}

const sound = (variant: string, rate: number, pitch: number): Sound => ({ variant, rate, pitch })

/**
 * What stands for each voice: a woman's for a woman's, livelier ones faster and higher. No two sound the same, and none
 * sounds like the one it stands for.
 */
export const sounds: Record<Voice, Sound> = {
  Kore: sound('f2', 165, 50),
  Puck: sound('m3', 180, 60),
  Charon: sound('m1', 165, 40),
  Fenrir: sound('m2', 185, 55),
  Zephyr: sound('f1', 178, 60),
  Aoede: sound('f3', 172, 55),
  Leda: sound('f4', 165, 58),
  Orus: sound('m4', 165, 48),
  Achernar: sound('f5', 155, 45),
  Achird: sound('m5', 172, 52),
  Algenib: sound('m6', 160, 30),
  Algieba: sound('m7', 165, 44),
  Alnilam: sound('m8', 168, 40),
  Autonoe: sound('f1', 175, 52),
  Callirrhoe: sound('f2', 162, 55),
  Despina: sound('f3', 165, 48),
  Enceladus: sound('m1', 158, 46),
  Erinome: sound('f4', 168, 48),
  Gacrux: sound('f5', 158, 36),
  Iapetus: sound('m2', 168, 45),
  Laomedeia: sound('f1', 182, 66),
  Pulcherrima: sound('f2', 178, 60),
  Rasalgethi: sound('m3', 168, 46),
  Sadachbia: sound('m4', 185, 60),
  Sadaltager: sound('m5', 165, 42),
  Schedar: sound('m6', 168, 44),
  Sulafat: sound('f3', 160, 42),
  Umbriel: sound('m7', 160, 52),
  Vindemiatrix: sound('f4', 155, 52),
  Zubenelgenubi: sound('m8', 175, 50),
}
