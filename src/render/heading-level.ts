import type { Heading } from '../contract/tree.ts'
import type { State } from './state.ts'

/** The level at which a heading stands in the post, see `topHeadingLevel`. */
export const headingLevel = ({ level }: Heading, { headingShift }: State): number =>
  Math.min(6, level + headingShift)
