"""What every stage stands on: errors, array layout, maths, the kernel decorator. Imports nothing of ours."""
