const local = 1, other = 2;
let unexported = 3;
export { local as default, other };
export const { first, second: [third, ...fourth], fifth = 5 } = object;
export function overloaded(a: string): void;
export function overloaded(a: number): void;
/** Says what. */
export function overloaded(a: unknown): void {
  hidden(a);
}
export default class Named {}
export abstract class Base {}
export interface Shape { side: number; area(): number; readonly [key: string]: unknown; nested: { inner: string } }
export type Alias<T> = T | null;
export enum Colour { Red, Green = "g", "dashed-name" }
export declare const ambient: string;
export declare function declared(x: number): string;
export namespace Outer.Inner {
  export const visible = 1;
  const invisible = 2;
  export function inside() {}
}
export async function* generate() {}
export { type Shape as Form };
function hidden(x: unknown) {}
declare module "untyped" {
  export function given(): void;
}
declare global {
  interface Window { mine: string }
}
