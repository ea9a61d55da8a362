// Khronos' glTF validator.   node validate.mjs FILE...   prints one JSON object per file
import { readFileSync } from 'node:fs';
import validator from 'gltf-validator';

for (const file of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 100 });
  const { numErrors, numWarnings, messages } = report.issues;
  console.log(JSON.stringify({ file, errors: numErrors, warnings: numWarnings, messages: messages.filter((m) => m.severity < 2) }));
}
