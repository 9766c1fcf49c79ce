import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

// The colours of outcomes in a plot: told apart by everybody, and seen on a card.

const css = readFileSync('dashboard/src/styles/look.css', 'utf8')

type Colour = readonly [red: number, green: number, blue: number]
type Matrix = readonly [Colour, Colour, Colour]

/** Linear light, 0 to 1. */
const linear = (hex: string): Colour => {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return [red, green, blue]
}

/** Machado, Oliveira and Fernandes, 2009: what is seen where one kind of cone is missing. */
const sights: Record<string, Matrix> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152_286, 1.052_583, -0.204_868],
    [0.114_503, 0.786_281, 0.099_216],
    [-0.003_882, -0.048_116, 1.051_998],
  ],
  deuteranopia: [
    [0.367_322, 0.860_646, -0.227_968],
    [0.280_085, 0.672_501, 0.047_413],
    [-0.011_82, 0.042_94, 0.968_881],
  ],
  tritanopia: [
    [1.255_528, -0.076_749, -0.178_779],
    [-0.078_411, 0.930_809, 0.147_602],
    [0.004_733, 0.691_367, 0.3039],
  ],
}

const times = (matrix: Matrix, colour: Colour): Colour => {
  const [red, green, blue] = matrix.map((row) =>
    row.reduce((sum, factor, at) => sum + factor * (colour[at] as number), 0),
  ) as [number, number, number]
  return [red, green, blue]
}

/** In the space OKLab, whose distances are those that are seen; 0.02 is just noticed. */
const perceived = (colour: Colour): Colour => {
  const cones = times(
    [
      [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
      [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
      [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
    ],
    colour,
  ).map(Math.cbrt) as unknown as Colour
  return times(
    [
      [0.210_454_255_3, 0.793_617_785, -0.004_072_046_8],
      [1.977_998_495_1, -2.428_592_205, 0.450_593_709_9],
      [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766],
    ],
    cones,
  )
}

const luminance = ([red, green, blue]: Colour): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue

const contrast = (one: Colour, other: Colour): number => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

it.each([
  ['light', css.slice(0, css.indexOf('[data-scheme="dark"]'))],
  ['dark', css.slice(css.indexOf('[data-scheme="dark"]'))],
])('outcomes have colours that nobody takes for another, %s', (_scheme, styles) => {
  const surface = linear(/--g-surface: (#\w{6});/.exec(styles)?.[1] as string)
  const colours = [...styles.matchAll(/--g-plot-(\w+): (#\w{6});/g)].map(([, name, hex]) => ({
    name,
    colour: linear(hex as string),
  }))
  expect(colours.length).toBe(9)
  for (const { name, colour } of colours) {
    expect(contrast(colour, surface), name).toBeGreaterThanOrEqual(3)
    for (const other of colours.filter((one) => one.name !== name))
      for (const [sight, matrix] of Object.entries(sights)) {
        const [one, two] = [perceived(times(matrix, colour)), perceived(times(matrix, other.colour))]
        const distance = Math.hypot(...one.map((value, at) => value - (two[at] as number)))
        expect(distance, `${name} and ${other.name}, ${sight}`).toBeGreaterThan(0.08)
      }
  }
})
