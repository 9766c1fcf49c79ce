import { expect, it } from 'vitest'
import { grouped } from '../../dashboard/src/views/deliveries/attempts.ts'

// The lines of a timeline by attempt, as the page of a delivery shows them.

const lines = (...names: string[]) =>
  names.map((name, second) => {
    const [step = '', outcome = ''] = name.split(' ')
    return { at: new Date(Date.UTC(2026, 10, 20, 8, 0, second)).toISOString(), step, outcome }
  })

const shape = (...names: string[]) =>
  grouped(lines(...names)).map(({ attempt, lines }) => [attempt, lines.length])

it('an attempt begins with its plan and ends with its outcome', () => {
  expect(shape('plan queued', 'reserve created', 'deliver delivered')).toEqual([[1, 3]])
  expect(shape('plan queued', 'fill will_retry', 'fill intended', 'deliver delivered')).toEqual([
    [1, 2],
    [2, 2],
  ])
})

it('a retry by a person is part of the attempt that it leads to', () => {
  expect(shape('plan queued', 'fill held', 'plan retried', 'deliver delivered')).toEqual([
    [1, 2],
    [2, 2],
  ])
})

it('what happened to the post in WordPress is no attempt', () => {
  expect(
    shape(
      'plan queued',
      'deliver delivered',
      'follow published',
      'public fine',
      'plan withdrawing',
      'withdraw done',
    ),
  ).toEqual([
    [1, 2],
    [undefined, 2],
    [2, 2],
  ])
})

it('a cancellation ends the attempt that it stops', () => {
  expect(shape('plan queued', 'plan cancelled', 'plan retried', 'deliver delivered')).toEqual([
    [1, 2],
    [2, 2],
  ])
})
