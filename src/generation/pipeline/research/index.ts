export { research } from './research.ts'
