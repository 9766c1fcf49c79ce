/** `<m> min <s> sec`, to the nearest second; what is heard at all has one. */
export function duration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds))
  return `${Math.floor(whole / 60)} min ${whole % 60} sec`
}
