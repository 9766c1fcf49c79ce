import { type CSSProperties, forwardRef, type HTMLAttributes, useEffect } from 'react'

interface PopoverProps extends Omit<HTMLAttributes<HTMLDivElement>, 'style'> {
  /** With where it belongs: there, and undefined, as long as nobody knows. */
  style?: CSSProperties & {
    x?: number | undefined
    y?: number | undefined
    originX?: number
    originY?: number
  }
  onAnimationComplete?(): void
  initial?: object
  animate?: object | false
  transition?: object
}

/**
 * In place of `framer-motion`, of which a popover uses this element alone, to grow for a tenth of a second: it is there at once, where
 * it belongs. The whole was 40 KB compressed, and a part of every start of a list.
 */
export const motion = {
  div: forwardRef<HTMLDivElement, PopoverProps>(function Popover(
    { style = {}, onAnimationComplete, initial, animate, transition, ...others },
    ref,
  ) {
    const { x, y, originX, originY, ...css } = style
    // biome-ignore lint/correctness/useExhaustiveDependencies: once, as the end of an animation
    useEffect(() => onAnimationComplete?.(), [])
    const place: CSSProperties =
      x !== undefined ? { transform: `translate(${x}px, ${y ?? 0}px)` } : 'x' in style ? { opacity: 0 } : {}
    return <div {...others} ref={ref} style={{ ...css, ...place }} />
  }),
}

export const cubicBezier = () => undefined
