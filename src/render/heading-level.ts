import type { Heading } from '../contract/tree.ts'
import type { State } from './state.ts'

/** The level at which a heading stands in the post, see `top_heading_level`. */
export const headingLevel = ({ level }: Heading, { headingShift }: State): number =>
  Math.min(6, level + headingShift)
