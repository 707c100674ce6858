// Stands for a command whose name is settled and whose content does not exist yet: says so and exits 70.
const [name] = process.argv.slice(2);
process.stderr.write(`npm run ${name} has no content yet: it comes with a later version of Tenure\n`);
process.exitCode = 70;
