import './plot.css'
import { type ReactNode, useState } from 'react'

export interface Bar {
  id: string
  /** When its span is. */
  label: string
  /** What it has, in words; empty where it has nothing. */
  said: string
  /** From the bottom to the top. */
  parts: { name: string; value: number }[]
}

/** A text below the bars, at a place between 0 and the number of bars. */
export interface Mark {
  at: number
  text: string
}

interface PlotProps {
  title: ReactNode
  bars: Bar[]
  marks: Mark[]
  /** The value at the top, where several plots share it; else that of the highest bar. */
  most?: number
  /** The steps of the axis are 1, 2 or 5 times a power of ten of this unit. */
  unit?: number
  formatValue: (value: number) => string
  /** A lower picture. */
  low?: boolean
  /** The same as a table, for screen readers; the picture is hidden from them. */
  table: ReactNode
}

/** Units of a picture that is stretched; arbitrary. */
const [HEIGHT, STEP, GAP] = [100, 10, 2]

/** Stacked bars over axes with numbers. A span without anything stays empty. What a bar has is said beside the title. */
export function Plot({
  title,
  bars,
  marks,
  most = highest(bars),
  unit = 1,
  formatValue,
  low = false,
  table,
}: PlotProps) {
  const [shown, setShown] = useState<string>()
  const ticks = axisTicks(most / unit, low ? 2 : 4).map((tick) => tick * unit)
  const top = ticks.at(-1) as number
  const width = bars.length * STEP
  const backwards = document.documentElement.dir === 'rtl'
  const bar = bars.find(({ id }) => id === shown)
  return (
    <figure className={`g-plot ${low ? 'low' : ''}`}>
      <figcaption>
        {title}
        {bar && bar.said !== '' && (
          <p aria-hidden="true">
            {bar.label}: {bar.said}
          </p>
        )}
      </figcaption>
      <div className="g-plot-area" aria-hidden="true">
        <div className="g-plot-y">
          {ticks.map((tick) => (
            <span key={tick} style={{ insetBlockStart: `${100 - (100 * tick) / top}%` }}>
              {formatValue(tick)}
            </span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
          onPointerLeave={() => setShown(undefined)}
        >
          {ticks.map((tick) => (
            <line key={tick} x1={0} x2={width} y1={heightOf(tick)} y2={heightOf(tick)} />
          ))}
          {bars.map(({ id, parts }, index) => (
            <g
              key={id}
              className="g-plot-bar"
              transform={`translate(${(backwards ? bars.length - 1 - index : index) * STEP})`}
              onPointerEnter={() => setShown(id)}
            >
              <rect className="g-plot-ground" width={STEP} height={HEIGHT} />
              {stack(parts).map(({ name, below, value }) => (
                <rect
                  key={name}
                  className={`g-plot-part of-${name}`}
                  x={GAP / 2}
                  width={STEP - GAP}
                  y={heightOf(below + value)}
                  height={(value / top) * HEIGHT}
                />
              ))}
            </g>
          ))}
        </svg>
        <div className="g-plot-x">
          {marks.map(({ at, text }) => (
            <span key={at} style={{ insetInlineStart: `${(100 * at) / bars.length}%` }}>
              {text}
            </span>
          ))}
        </div>
      </div>
      <div className="hidden-text">{table}</div>
    </figure>
  )

  function heightOf(value: number): number {
    return HEIGHT - (value / top) * HEIGHT
  }
}

const sum = (parts: Bar['parts']): number => parts.reduce((all, { value }) => all + value, 0)

/** The value of the highest bar. */
export const highest = (bars: readonly Bar[]): number => Math.max(...bars.map(({ parts }) => sum(parts)))

const stack = (parts: Bar['parts']) =>
  parts.map((part, index) => ({ ...part, below: sum(parts.slice(0, index)) }))

/** About so many whole steps from 0 to at least the value: 0, 50, 100, 150, 200 for 178. */
export function axisTicks(value: number, wanted: number): number[] {
  const rough = Math.max(value, 1) / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, power * ([1, 2, 5].find((times) => times * power >= rough) ?? 10))
  return Array.from({ length: Math.ceil(Math.max(value, 1) / step) + 1 }, (_, index) => index * step)
}
