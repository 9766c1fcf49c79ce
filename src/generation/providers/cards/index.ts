export { cards } from './cards.ts'
