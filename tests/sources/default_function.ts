// Not a doc comment.
export default async function () {
  await run();
}
