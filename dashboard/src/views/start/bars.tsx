/** Of a picture that is stretched to its place: units that mean nothing. */
const [HEIGHT, STEP, GAP] = [100, 10, 1.5]

interface Bar {
  id: string
  /** Said when somebody points at it. */
  title: string
  /** From the bottom to the top. */
  parts: { name: string; tone: string; value: number }[]
}

interface BarsProps {
  bars: Bar[]
  /** What the highest of them comes to. */
  most: number
  /** Less high than others. */
  low?: boolean
}

/** Bars side by side, each of parts, in the order in which one reads. For those who do not see them there is something else. */
export function Bars({ bars, most, low = false }: BarsProps) {
  const width = bars.length * STEP
  const backwards = document.documentElement.dir === 'rtl'
  return (
    <svg
      className={`g-bars ${low ? 'low' : ''}`}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {bars.map((bar, index) => (
        <BarOf key={bar.id} bar={bar} most={most} x={(backwards ? bars.length - 1 - index : index) * STEP} />
      ))}
    </svg>
  )
}

function BarOf({ bar: { title, parts }, most, x }: { bar: Bar; most: number; x: number }) {
  let top = HEIGHT
  return (
    <g>
      {title !== '' && <title>{title}</title>}
      <rect className="ground" x={x + GAP / 2} y={0} width={STEP - GAP} height={HEIGHT} />
      {parts.map(({ name, tone, value }) => {
        const height = (value / most) * HEIGHT
        top -= height
        return <rect key={name} className={tone} x={x + GAP / 2} y={top} width={STEP - GAP} height={height} />
      })}
    </g>
  )
}
