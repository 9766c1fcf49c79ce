import type { ImageSize } from '../../../contract/generation/choices.ts'

/** Pixels. */
export interface Dimensions {
  width: number
  height: number
}

/** The exact dimensions of a finished picture; `auto` is the contract's fallback. */
export const dimensionsOf = {
  landscape: { width: 1536, height: 1024 },
  square: { width: 1024, height: 1024 },
  portrait: { width: 1024, height: 1536 },
  auto: { width: 1536, height: 1024 },
} satisfies Record<ImageSize, Dimensions>
